"""Services of comments: write, edit, delete and moderate them, and their likes."""

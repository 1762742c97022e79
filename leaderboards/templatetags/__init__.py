"""Template tags for boards, and links from public pages to the admin."""

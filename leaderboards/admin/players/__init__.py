"""The admin of players, with pages to erase a player or link an account."""

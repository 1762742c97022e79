"""Whole stories, from a game server's request to what a player sees."""

"""Changes of likes, one use case in each file."""

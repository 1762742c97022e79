"""One command a file; Django finds them by their names."""

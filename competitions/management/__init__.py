"""The code of the management commands of competitions."""

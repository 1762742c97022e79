"""The commands of competitions."""

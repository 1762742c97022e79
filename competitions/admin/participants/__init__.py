"""The admin of participants and teams."""

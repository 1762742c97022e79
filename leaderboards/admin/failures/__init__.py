"""The admin of dead letters."""

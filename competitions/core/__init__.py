"""Values and rules of competitions: standard library only, no clock, no database."""

"""The admin of competitions: list, form, timeline and change history."""

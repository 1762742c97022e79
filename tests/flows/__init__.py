"""Stories that cross the rooms: given, when, then."""

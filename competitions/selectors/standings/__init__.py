"""The standings of a competition, of its teams and divisions, and their history."""

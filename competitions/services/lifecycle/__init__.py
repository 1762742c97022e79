"""Services for the phases of a competition, from publishing it to its final result."""

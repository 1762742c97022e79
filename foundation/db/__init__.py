"""SQL that may be unavailable, and pipelined statements."""

"""What changes competitions, use case by use case."""

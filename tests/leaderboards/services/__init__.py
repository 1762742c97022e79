"""What changes things, use case by use case."""

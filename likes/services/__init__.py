"""What changes likes, use case by use case."""

"""What the capacity command refuses."""


class BadCapacity(ValueError):
    """A number, or a file of figures, that nothing can be computed from; its text says what to write."""

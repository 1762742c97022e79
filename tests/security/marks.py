"""A function that a planted pickle would call, and the sign that it was."""

from pathlib import Path


def mark(file: str) -> None:
    """Leave the sign."""
    Path(file).touch()


def touched(file: Path) -> bool:
    """Whether it is there."""
    return file.exists()

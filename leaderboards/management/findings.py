"""What a check of ``manage.py doctor`` finds: a line of text and a state."""

from dataclasses import dataclass
from enum import IntEnum


class State(IntEnum):
    """How a check ended, the worst first. ``WAITING`` is not right yet, and may become so by itself."""

    RED = 0
    WAITING = 1
    SKIPPED = 2
    OK = 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor's output."""

    state: State
    name: str
    detail: str

    @property
    def is_red(self) -> bool:
        """Whether somebody has to do something."""
        return self.state is State.RED


def found(is_red: bool, name: str, detail: str) -> Finding:
    return Finding(State.RED if is_red else State.OK, name, detail)

"""Mirroring in turns: what is written faster than it is copied keeps no other waiting, and no run goes on for ever."""

from collections.abc import Callable

import pytest

from foundation import clock
from foundation.errors import Unavailable
from foundation.models import Heartbeat
from foundation.sync import mirroring
from foundation.sync.mirroring import Copied, mirror_each

pytestmark = pytest.mark.django_db

SIGN = "test-mirror"


class Families:
    """What is dirty of each; a chunk copies one row and takes a second, and the busy write as many at the same time."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, busy: str = "", **dirty: int) -> None:
        self.dirty, self.busy = dirty, busy
        self.turns = ""
        self.now = 0.0
        monkeypatch.setattr(clock, "monotonic", lambda: self.now)
        monkeypatch.setattr(mirroring, "_unfinished", {})

    def chunk(self, one: str) -> Copied:
        self.turns += one
        self.now += 1
        found = min(1, self.dirty[one])
        self.dirty[one] -= 0 if one in self.busy else found
        return found, self.dirty[one]

    def run(self, seconds: float, chunk: Callable[[str], Copied] | None = None) -> str:
        """Whose turn it was."""
        self.turns = ""
        mirror_each(self.dirty, chunk or self.chunk, SIGN, seconds)
        return self.turns


def gave_a_sign() -> bool:
    return Heartbeat.objects.filter(name=SIGN).exists()


def test_each_has_its_turn_until_it_is_clean_and_the_busy_one_goes_on_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    families = Families(monkeypatch, busy="a", a=5, b=2, c=1)

    assert families.run(8) == "abcabaaa"
    assert families.dirty == {"a": 5, "b": 0, "c": 0}
    assert not gave_a_sign()  # Redis has more than SQL, for longer and longer


def test_a_run_that_is_over_too_soon_leaves_the_rest_to_be_the_first_of_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    families = Families(monkeypatch, busy="ab", a=5, b=5, c=3, d=1)

    assert [families.run(2) for _ in range(4)] == ["ab", "cd", "ab", "cd"]


def test_what_left_nothing_gives_a_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    families = Families(monkeypatch, a=2, b=0)

    assert families.run(9) == "aba"
    assert gave_a_sign()


def test_one_that_fails_or_waits_keeps_no_other_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    families = Families(monkeypatch, a=1, b=1, c=1)

    def chunk(one: str) -> Copied:
        if one == "a":
            raise Unavailable("It is being settled.")
        if one == "b":
            raise ValueError("a fault of ours")
        return families.chunk(one)

    with pytest.raises(ExceptionGroup, match="some could not be mirrored"):
        families.run(9, chunk)

    assert families.dirty == {"a": 1, "b": 1, "c": 0}
    assert not gave_a_sign()

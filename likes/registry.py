"""What can be liked. An app that has something to like says so when it is ready (``register_kind``), and likes never
import it. ``Likeable`` is all that likes know of a kind: how it is kept, and whom to ask.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from leaderboards.models import Board
from likes.core.keys import KIND
from likes.core.kinds import Storage
from likes.errors import UnknownKind


def _anybody(_thing: str, _player: str) -> None:
    """Anybody who may see a thing may like it."""


def _none(_things: Collection[str]) -> Mapping[str, Board | None]:
    """Nothing is hidden once it could be liked."""
    return {}


def _nobody(_totals: Mapping[str, int]) -> None:
    """No count is wanted back."""


@dataclass(frozen=True, slots=True)
class Likeable:
    """One kind.

    ``boards`` gives those of the ids that exist, each with the board whose readers may see it (None: everybody);
    ``withdrawn`` those that could be seen once and nobody may like any more: who has liked one may take that back.
    ``admit`` raises a refusal where the player may not like the thing. ``save_totals`` is told new totals, in the
    transaction that counts them in SQL. ``rate``: likes a second of its hottest thing, which decides the shards of
    the ``sql`` storage.
    """

    kind: str
    boards: Callable[[Collection[str]], Mapping[str, Board | None]]
    storage: Storage = Storage.HYBRID
    rate: int = 100
    repeatable: bool = False
    admit: Callable[[str, str], None] = _anybody
    save_totals: Callable[[Mapping[str, int]], None] = _nobody
    withdrawn: Callable[[Collection[str]], Mapping[str, Board | None]] = _none

    def __post_init__(self) -> None:
        if not KIND.fullmatch(self.kind):
            raise ValueError(f"A kind is 1 to 20 of a-z, 0-9 and _, a letter first; this is {self.kind!r}.")

    def __str__(self) -> str:
        return f"likes of {self.kind}"


_kinds: dict[str, Likeable] = {}


def register_kind(likeable: Likeable) -> None:
    """Have things of this kind liked. The latest word about a kind counts."""
    _kinds[likeable.kind] = likeable


def unregister_kind(kind: str) -> None:
    """Have them liked no more; their likes stay."""
    _kinds.pop(kind, None)


def get_kind(kind: str) -> Likeable:
    """What is known of a kind. Raises ``UnknownKind``."""
    if kind not in _kinds:
        raise UnknownKind("Nothing of this kind can be liked.")
    return _kinds[kind]


def all_kinds() -> list[Likeable]:
    """All kinds."""
    return list(_kinds.values())

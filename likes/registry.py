"""The registry of kinds that can be liked. Apps register their kinds at startup (``register_kind``); likes never import
them. ``Likeable`` is all that likes know of a kind: its storage, and functions of the app.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from foundation.messages import Message
from leaderboards.models import Board
from likes.core.keys import KIND
from likes.core.kinds import Storage
from likes.errors import UnknownKind


def _admit_all(_thing: str, _player: str) -> None:
    """The default: everybody who may see a thing may like it."""


def _none_withdrawn(_things: Collection[str]) -> Mapping[str, Board | None]:
    """The default: no thing is ever hidden."""
    return {}


def _ignore_totals(_totals: Mapping[str, int]) -> None:
    """The default: the app does not need the totals."""


@dataclass(frozen=True, slots=True)
class Likeable:
    """One kind.

    ``boards`` returns those of the ids that exist, each with the board whose readers may see it (None: everybody);
    ``withdrawn`` those that were visible once and cannot be liked any more, but a like of them can be taken back.
    ``admit`` raises a ``SunwiError`` if the player may not like the thing. ``save_totals`` receives new totals, in the
    transaction that counts them in SQL. ``rate`` is the likes a second of its hottest thing, and decides the number of
    shards of the ``sql`` storage.
    """

    kind: str
    boards: Callable[[Collection[str]], Mapping[str, Board | None]]
    storage: Storage = Storage.HYBRID
    rate: int = 100
    repeatable: bool = False
    admit: Callable[[str, str], None] = _admit_all
    save_totals: Callable[[Mapping[str, int]], None] = _ignore_totals
    withdrawn: Callable[[Collection[str]], Mapping[str, Board | None]] = _none_withdrawn

    def __post_init__(self) -> None:
        if not KIND.fullmatch(self.kind):
            raise ValueError(f"A kind is 1 to 20 of a-z, 0-9 and _, a letter first; this is {self.kind!r}.")

    def __str__(self) -> str:
        return f"likes of {self.kind}"


_kinds: dict[str, Likeable] = {}


def register_kind(likeable: Likeable) -> None:
    """Register a kind; it replaces an earlier one of the same name."""
    _kinds[likeable.kind] = likeable


def unregister_kind(kind: str) -> None:
    """Remove a kind from the registry; its likes stay."""
    _kinds.pop(kind, None)


def get_kind(kind: str) -> Likeable:
    """A registered kind. Raises ``UnknownKind``."""
    if kind not in _kinds:
        raise UnknownKind(Message("Nothing of this kind can be liked."))
    return _kinds[kind]


def all_kinds() -> list[Likeable]:
    """All registered kinds."""
    return list(_kinds.values())

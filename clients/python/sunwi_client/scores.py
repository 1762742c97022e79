"""A score to be sent. Its id is made with it, so that it may be sent any number of times and counts once."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any


def new_id() -> str:
    """An id that nobody else makes."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One result of one player, for a ``board`` or a ``competition``, by its number.

    ``points`` are exact: whole numbers, ``Decimal`` or digits in a text; on boards with criteria ``fields`` replaces
    them. ``at`` is when it happened, with a zone; without it the server takes the time of arrival. Give an ``id`` of
    your own (up to 128 characters) where the same result may come from several processes, or after a restart.
    Raises ``ValueError`` for what no server would take. The trap: ``copy.replace`` and the like keep the id.
    """

    player: str
    points: int | Decimal | str | None = None
    fields: Mapping[str, int] | None = None
    board: int | None = None
    competition: int | None = None
    at: datetime | None = None
    id: str = field(default_factory=new_id)

    def __post_init__(self) -> None:
        if (self.board is None) == (self.competition is None):
            raise ValueError("Say either `board` or `competition`: where the score counts.")
        if (self.points is None) == (self.fields is None):
            raise ValueError("Say either `points` or, on boards with criteria, `fields`.")
        if isinstance(self.points, float):
            raise ValueError(f'{self.points!r} is a float, and points are exact: send Decimal("{self.points!r}").')  # noqa: TRY004 - a float has the wrong value, whatever its type
        if self.at is not None and self.at.tzinfo is None:
            raise ValueError("`at` needs a zone, such as datetime.now(UTC).")

    def entry(self) -> dict[str, Any]:
        """What is sent."""
        points = format(self.points, "f") if isinstance(self.points, Decimal) else self.points
        moment = None if self.at is None else self.at.isoformat()
        fields = None if self.fields is None else dict(self.fields)
        told = {
            "board": self.board,
            "competition": self.competition,
            "player": self.player,
            "points": points,
            "fields": fields,
            "at": moment,
            "id": self.id,
        }
        return {name: value for name, value in told.items() if value is not None}

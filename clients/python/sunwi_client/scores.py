"""A score to send. It gets an id when it is created, so that it can be sent repeatedly and counts once."""

import json
import uuid
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from sunwi_client.metadata import check_metadata

Operator = Literal["set", "best", "increment", "decrement"]


def new_id() -> str:
    """Generate a unique id."""
    return str(uuid.uuid4())


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A player's score for a ``board`` or a ``competition``, by its number.

    ``points`` are exact: an int, a ``Decimal`` or digits in a text; boards with criteria need ``fields`` instead.
    ``at`` is when it happened, with a time zone; by default the server uses the time of arrival. Set your own ``id``
    (up to 128 characters) if several processes, or a process after a restart, may send the same score. ``operator``
    replaces the board's policy, where its setting ``operators`` allows it. ``metadata`` is a JSON object of your own,
    up to 2,048 bytes, which rows return when asked. Raises ``ValueError`` for values that no server accepts, so that
    one bad score does not cost its batch. The trap: ``copy.replace`` keeps the id.
    """

    player: str
    points: int | Decimal | str | None = None
    fields: Mapping[str, int] | None = None
    board: int | None = None
    competition: int | None = None
    at: datetime | None = None
    id: str = field(default_factory=new_id)
    operator: Operator | None = None
    metadata: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        if (self.board is None) == (self.competition is None):
            raise ValueError("Say either `board` or `competition`: where the score counts.")
        if (self.points is None) == (self.fields is None):
            raise ValueError("Say either `points` or, on boards with criteria, `fields`.")
        if isinstance(self.points, float):
            raise ValueError(f'{self.points!r} is a float, and points are exact: send Decimal("{self.points!r}").')  # noqa: TRY004 - a float has the wrong value, whatever its type
        if self.at is not None and self.at.tzinfo is None:
            raise ValueError("`at` needs a zone, such as datetime.now(UTC).")
        if self.metadata is not None:
            check_metadata(self.metadata)
            object.__setattr__(self, "metadata", deepcopy(self.metadata))  # else later changes would go unchecked
        if self.fields is not None:
            object.__setattr__(self, "fields", dict(self.fields))
        try:
            json.dumps(self.entry(), ensure_ascii=False, allow_nan=False).encode()
        except (TypeError, ValueError) as error:
            raise ValueError(f"The score cannot be written as JSON: {error}.") from None

    def entry(self) -> dict[str, Any]:
        """The score as a JSON object of the API."""
        points = format(self.points, "f") if isinstance(self.points, Decimal) else self.points
        moment = None if self.at is None else self.at.isoformat()
        fields = None if self.fields is None else dict(self.fields)
        values = {
            "board": self.board,
            "competition": self.competition,
            "player": self.player,
            "points": points,
            "fields": fields,
            "at": moment,
            "id": self.id,
            "operator": self.operator,
            "metadata": None if self.metadata is None else dict(self.metadata),
        }
        return {name: value for name, value in values.items() if value is not None}

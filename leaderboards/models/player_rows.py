"""Write the folded form of a player's name, which search reads, whenever the name is written."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.db import models

from leaderboards.core.input.folding import folded_name

if TYPE_CHECKING:
    from leaderboards.models.players import Player

NAME, FOLDED = "name", "folded_name"


class PlayerQuerySet(models.QuerySet["Player"]):
    """Players. Raw SQL that writes a name must write ``folded_name`` too."""

    def update(self, **values: Any) -> int:
        """Update as Django does; with ``name``, ``folded_name`` is set too."""
        if isinstance(values.get(NAME), str) and FOLDED not in values:
            values[FOLDED] = folded_name(values[NAME])
        return super().update(**values)

    def bulk_update(self, objs: Iterable["Player"], fields: Iterable[str], batch_size: int | None = None) -> int:
        """Update as Django does; with ``name``, ``folded_name`` is set too."""
        rows, wanted = list(objs), with_folded(fields)
        if FOLDED in wanted:
            _fold(rows)
        return super().bulk_update(rows, wanted, batch_size)

    def bulk_create(self, objs: Iterable["Player"], *args: Any, **options: Any) -> list["Player"]:
        """Create as Django does, with ``folded_name`` of each name."""
        rows = list(objs)
        _fold(rows)
        return super().bulk_create(rows, *args, **options)


class PlayerManager(models.Manager["Player"]):
    """The manager of players. ``as_manager`` would hide annotations from mypy."""

    def get_queryset(self) -> models.QuerySet["Player"]:
        """Return all players as a ``PlayerQuerySet``."""
        return PlayerQuerySet(self.model, using=self._db)


def with_folded(fields: Iterable[str]) -> Collection[str]:
    """Return the same fields, with the folded name if the name is among them."""
    wanted = list(fields)
    return list(dict.fromkeys([*wanted, FOLDED])) if NAME in wanted else wanted


def _fold(rows: Sequence["Player"]) -> None:
    for row in rows:
        row.folded_name = folded_name(row.name)

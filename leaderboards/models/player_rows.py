"""Writing names of players: with each name its folded form is written, which search reads."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.db import models

from leaderboards.core.input.folding import folded_name

if TYPE_CHECKING:
    from leaderboards.models.players import Player

NAME, FOLDED = "name", "folded_name"


class PlayerQuerySet(models.QuerySet["Player"]):
    """Players. The trap: SQL of one's own that writes a name must write ``folded_name`` too."""

    def update(self, **values: Any) -> int:
        """As Django's; a name that is set goes with its folded form."""
        if isinstance(values.get(NAME), str) and FOLDED not in values:
            values[FOLDED] = folded_name(values[NAME])
        return super().update(**values)

    def bulk_update(self, objs: Iterable["Player"], fields: Iterable[str], batch_size: int | None = None) -> int:
        """Likewise."""
        rows, wanted = list(objs), with_folded(fields)
        if FOLDED in wanted:
            _fold(rows)
        return super().bulk_update(rows, wanted, batch_size)

    def bulk_create(self, objs: Iterable["Player"], *args: Any, **options: Any) -> list["Player"]:
        """Likewise."""
        rows = list(objs)
        _fold(rows)
        return super().bulk_create(rows, *args, **options)


class PlayerManager(models.Manager["Player"]):
    """Their manager. It is a class of its own, so that mypy knows what is annotated."""

    def get_queryset(self) -> models.QuerySet["Player"]:
        """All of them, as ``PlayerQuerySet``."""
        return PlayerQuerySet(self.model, using=self._db)


def with_folded(fields: Iterable[str]) -> Collection[str]:
    """The same fields, the folded name among them if the name is."""
    wanted = list(fields)
    return list(dict.fromkeys([*wanted, FOLDED])) if NAME in wanted else wanted


def _fold(rows: Sequence["Player"]) -> None:
    for row in rows:
        row.folded_name = folded_name(row.name)

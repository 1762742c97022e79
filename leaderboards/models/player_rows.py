"""Write the folded form of a player's name, which search reads, whenever the name is written.

A name that is written in another way, as by ``update(name=Upper("name"))``, by SQL or by an older release, differs from
``folded_from`` and is folded by the task ``fold_names``.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from django.db import models

from leaderboards.core.input.folding import folded_name

if TYPE_CHECKING:
    from leaderboards.models.players import Player

NAME, FOLDED, FOLDED_FROM = "name", "folded_name", "folded_from"


class PlayerQuerySet(models.QuerySet["Player"]):
    """Players, whose folded name is written with the name."""

    def update(self, **values: Any) -> int:
        """Update as Django does; with a ``name`` that is a text, its folded form is set too."""
        name = values.get(NAME)
        if isinstance(name, str):
            values = {**values, FOLDED: folded_name(name), FOLDED_FROM: name or None}
        return super().update(**values)

    def bulk_update(self, objs: Iterable["Player"], fields: Iterable[str], batch_size: int | None = None) -> int:
        """Update as Django does; with ``name``, its folded form is set too."""
        rows, wanted = list(objs), with_folded(fields)
        if FOLDED in wanted:
            _fold(rows)
        return super().bulk_update(rows, wanted, batch_size)

    def bulk_create(self, objs: Iterable["Player"], *args: Any, **options: Any) -> list["Player"]:
        """Create as Django does, with the folded form of each name, also where a conflict updates the name."""
        rows = list(objs)
        _fold(rows)
        if options.get("update_fields"):
            options["update_fields"] = with_folded(options["update_fields"])
        return super().bulk_create(rows, *args, **options)


class PlayerManager(models.Manager["Player"]):
    """The manager of players. ``as_manager`` would hide annotations from mypy."""

    def get_queryset(self) -> models.QuerySet["Player"]:
        """Return all players as a ``PlayerQuerySet``."""
        return PlayerQuerySet(self.model, using=self._db)


def with_folded(fields: Iterable[str]) -> Collection[str]:
    """Return the same fields, with those of the folded name if the name is among them."""
    wanted = list(fields)
    return list(dict.fromkeys([*wanted, FOLDED, FOLDED_FROM])) if NAME in wanted else wanted


def set_folded(row: "Player") -> None:
    """Set the folded form of the row's name; an expression is left to the task ``fold_names``."""
    if isinstance(row.name, str):
        row.folded_name, row.folded_from = folded_name(row.name), row.name or None


def _fold(rows: Sequence["Player"]) -> None:
    for row in rows:
        set_folded(row)

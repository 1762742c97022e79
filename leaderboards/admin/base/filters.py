"""Filters of lists that several admins have."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.utils.translation import gettext as _


class DoneFilter(admin.EmptyFieldListFilter):
    """Filter by whether a moment is set, such as that of a delivery: "yes" and "no" where Django says "not empty"."""

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield Django's choices, all, none and some, with those words; a count behind them stays."""
        words = (None, (_("Empty"), _("no")), (_("Not empty"), _("yes")))
        for choice, replaced in zip(super().choices(changelist), words, strict=True):
            yield {**choice, "display": str(choice["display"]).replace(*replaced)} if replaced else choice

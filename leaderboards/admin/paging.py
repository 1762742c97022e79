"""Lists over tables of millions of rows: nothing here counts a whole table.

Whoever looks for one row searches for it; nobody turns ten thousand pages.
"""

from typing import Any, TypeVar

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import Model
from django.http import HttpRequest
from django.utils.functional import cached_property

COUNTED_AT_MOST = 10_000

Row = TypeVar("Row", bound=Model)


class ShortPaginator(Paginator[Any]):
    """Counts to ten thousand, and pages no further."""

    @cached_property
    def count(self) -> int:
        """The number of rows, or the bound."""
        return len(self.object_list.values_list("pk", flat=True)[:COUNTED_AT_MOST])  # type: ignore[attr-defined]


class ReadOnlyAdmin(admin.ModelAdmin[Row]):
    """Rows that are looked at, never typed: services alone write them."""

    paginator = ShortPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:  # noqa: ARG002
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:  # noqa: ARG002
        """Nobody."""
        return False

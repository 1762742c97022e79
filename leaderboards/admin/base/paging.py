"""Lists over tables of millions of rows: nothing here counts a whole table.

Anybody who looks for one row searches for it; nobody turns ten thousand pages.
"""

from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.core.paginator import Paginator
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from leaderboards.admin.base.lookups import DeclaredLookupsAdmin

COUNTED_AT_MOST = 10_000

Row = TypeVar("Row", bound=Model)


class CappedPaginator(Paginator[Any]):
    """Counts to ten thousand, and pages no further."""

    @cached_property
    def count(self) -> int:
        """The number of rows, or the bound."""
        rows = self.object_list
        return rows[:COUNTED_AT_MOST].count() if isinstance(rows, QuerySet) else len(rows)


class PhraseSearchAdmin(DeclaredLookupsAdmin[Row]):
    """Searches for all that was typed as one phrase: an id may contain blanks, which Django takes for several words."""

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Row], search_term: str
    ) -> tuple[QuerySet[Row], bool]:
        """The rows of which any search field matches."""
        if not search_term:
            return queryset, False
        wanted = [Q(**{field: search_term}) for field in self.get_search_fields(request)]
        return queryset.filter(reduce(or_, wanted)), False


class ReadOnlyAdmin(PhraseSearchAdmin[Row]):
    """Rows that are looked at, never typed: services alone write them."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Nobody."""
        return False

"""Admin lists over tables of millions of rows: nothing here counts a whole table.

To find a row, staff search for it; paging ends after ``COUNTED_AT_MOST`` rows.
"""

from functools import reduce
from operator import or_
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

from foundation.generics import Paginator
from leaderboards.admin.base.lookups import DeclaredLookupsAdmin
from leaderboards.admin.base.player_search import players_found

COUNTED_AT_MOST = 10_000
OF_PLAYER = "player__external_id__exact"

Row = TypeVar("Row", bound=Model)


class CappedPaginator(Paginator[Any]):
    """A paginator that counts at most ``COUNTED_AT_MOST`` rows, and has no pages after them."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most ``COUNTED_AT_MOST``."""
        rows = self.object_list
        return rows[:COUNTED_AT_MOST].count() if isinstance(rows, QuerySet) else len(rows)


class PhraseSearchAdmin(DeclaredLookupsAdmin[Row]):
    """An admin that searches for the whole input as one phrase: ids may contain spaces, at which Django splits.

    The search field ``OF_PLAYER`` finds rows of players by their id or the beginning of their names.
    """

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Row], search_term: str
    ) -> tuple[QuerySet[Row], bool]:
        """Return the rows of which any search field matches."""
        if not search_term:
            return queryset, False
        wanted = [
            Q(player__in=players_found(search_term)) if field == OF_PLAYER else Q(**{field: search_term})
            for field in self.get_search_fields(request)
        ]
        return queryset.filter(reduce(or_, wanted)), False


class ReadOnlyAdmin(PhraseSearchAdmin[Row]):
    """An admin whose rows cannot be added, edited or deleted by a form: only services write them."""

    paginator = CappedPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Deny."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Deny."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Row | None = None) -> bool:
        """Deny."""
        return False

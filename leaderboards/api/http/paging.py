"""Pages of lists: by ``offset`` or by ``cursor``, with up to 100 rows, or 1,000 with a service key.

A cursor belongs to one list, and on boards to one period: a walk that began before midnight ends in the period in which
it began. A read of more than 100 rows counts as several requests.
"""

import re
from dataclasses import dataclass

from django.http import HttpRequest
from ninja import Schema
from ninja.params.functions import Query

from foundation.http.problems import BadRequest
from foundation.models import ServiceKey
from leaderboards.api.http.parameters import CURSOR, LIMIT, MOST_ROWS, MOST_ROWS_WITH_KEY, OFFSET, Bounded
from leaderboards.core.input.cursors import Cursor, cursor_text, read_cursor
from leaderboards.core.ranking.gaps import Gap, PageEnds
from leaderboards.errors import BadCursor
from leaderboards.selectors.rankings.cursor_pages import CursorPage
from leaderboards.stores.base import Page

RELATIVE_PERIODS = ("current", "previous")
_LIMIT = re.compile(r"(?:^|&)limit=0*([0-9]{3,4})(?:&|$)")


@dataclass(frozen=True, slots=True)
class Paging:
    """What a request asks of a list; ``label`` is the period of its cursor, None without one."""

    scope: str
    page: Page | CursorPage
    label: str | None

    def period(self, asked: str) -> str:
        """Return the period to read: that of the cursor. Raises ``BadRequest`` if the request names another one."""
        if self.label is None or asked == self.label:
            return asked
        if asked not in RELATIVE_PERIODS:
            raise _refused("period", f"The cursor is of the period {self.label}: leave `period` out.")
        return self.label

    def cursors(self, ends: PageEnds, label: str = "") -> dict[str, str | None]:
        """Return the cursors of a page's neighbours, null where there is none."""
        return cursors(self.scope, ends, label)


def cursors(scope: str, ends: PageEnds, label: str = "", prefix: str = "") -> dict[str, str | None]:
    """Return the cursors, in the list ``scope``, of what is before and behind some rows; null where nothing is."""
    return {
        f"{prefix}previous_cursor": _text(scope, label, ends.before, is_backward=True),
        f"{prefix}next_cursor": _text(scope, label, ends.behind, is_backward=False),
    }


def _text(scope: str, label: str, gap: Gap | None, is_backward: bool) -> str | None:
    return None if gap is None else cursor_text(Cursor(scope, label, gap, is_backward))


class PageAsked(Schema):
    """The query parameters of a page of standings."""

    offset: Bounded = OFFSET
    limit: Bounded = LIMIT
    cursor: str | None = CURSOR

    def of(self, request: HttpRequest, scope: str) -> Paging:
        """Return what is asked of the list ``scope``. Raises ``BadRequest``."""
        refuse_too_many_rows(request, self.limit)
        if self.cursor is None:
            return Paging(scope, Page(self.offset, self.limit), None)
        if self.offset:
            raise _refused("offset", "A cursor says where its page begins: send either `cursor` or `offset`.")
        try:
            found = read_cursor(self.cursor)
        except BadCursor as error:
            raise bad_cursor(error) from error
        if found.scope != scope:
            raise _refused("cursor", "This cursor is of another list: send each to the address that it came from.")
        return Paging(scope, CursorPage(found.gap, found.is_backward, self.limit), found.label)


PAGE = Query(...)


def refuse_too_many_rows(request: HttpRequest, limit: int) -> None:
    """Raise ``BadRequest`` if a caller without a key asks for more than 100 rows."""
    if limit > MOST_ROWS and not isinstance(getattr(request, "auth", None), ServiceKey):
        raise _refused(
            "limit",
            f"Input should be less than or equal to {MOST_ROWS} without a service key; with one up to "
            f"{MOST_ROWS_WITH_KEY:,} are possible.",
        )


def requests_counted(request: HttpRequest) -> int:
    """Return as how many requests a read with a key counts: one for each 100 rows that it asks for, 1 to 10."""
    query = str(request.META.get("QUERY_STRING", ""))
    if "limit=" not in query and "%" not in query:
        return 1
    if "%" in query:  # a percent-encoded name or number counts too
        texts = request.GET.getlist("limit")
        match = re.fullmatch(r"0*([0-9]{3,4})", texts[0]) if texts else None
    else:
        match = _LIMIT.search(query)
    rows = int(match[1]) if match else 0
    return -(-rows // MOST_ROWS) if MOST_ROWS < rows <= MOST_ROWS_WITH_KEY else 1  # more rows are refused


def bad_cursor(error: BadCursor) -> BadRequest:
    """Return the refusal of the parameter ``cursor``."""
    return _refused("cursor", error.detail)


def _refused(parameter: str, detail: str) -> BadRequest:
    return BadRequest(f"`{parameter}`: {detail}", [{"parameter": parameter, "detail": detail}])

"""POST /scores: takes the entries of a game server and returns one result for each.

Only a body of the wrong shape refuses a whole request; each entry is accepted or refused by itself.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router

from foundation import clock
from foundation.errors import SunwiError
from foundation.http.encoding import when
from foundation.http.problems import BadRequest, respond
from foundation.messages import Message
from leaderboards.api.http.access import RequireKey, key_of
from leaderboards.api.http.bodies import object_of
from leaderboards.api.http.parameters import DRY_RUN, RANKS
from leaderboards.api.http.responses import json_response
from leaderboards.api.openapi.schemas import ResultsOfEntries
from leaderboards.core.input.entries import Entry, read_entry, read_player
from leaderboards.core.submissions import Caller, Outcome, Status, UnreadableEntry
from leaderboards.errors import StorageUnavailable
from leaderboards.services.submit.grouped import submit_grouped
from leaderboards.services.submit.pipeline import submit

MAX_ENTRIES = 1000
_RESULT_FIELDS = Outcome._fields[1:8]  # status, player, board, competition, period, points, fields

router = Router(tags=["scores"])


@router.post("/scores", auth=RequireKey("scores:write"), response=ResultsOfEntries, by_alias=True)
def submit_scores(request: HttpRequest, dry_run: bool = DRY_RUN, ranks: bool = RANKS) -> HttpResponse:
    """Submit 1 to 1,000 entries."""
    clock.refuse_if_off()
    sent = _entries(object_of(request, ("entries",)))
    entries = [_read(raw, position) for position, raw in enumerate(sent)]
    caller, at = _caller(request), clock.now()
    if dry_run:
        outcomes = submit(entries, caller, at, dry_run=True)
    else:
        outcomes = submit_grouped(entries, caller, at, ranks=ranks)
    results = [_result(outcome, ranks and not dry_run) for outcome in outcomes]
    content = {
        "accepted": sum(outcome.status.is_accepted for outcome in outcomes),
        "rejected": sum(outcome.status is Status.REJECTED for outcome in outcomes),
        "results": results,
    }
    if all(outcome.code == StorageUnavailable.code for outcome in outcomes):
        return respond(StorageUnavailable(Message("What decides for these boards is away; try again.")), **content)
    return json_response(content)


def _entries(body: dict[str, object]) -> list[dict[str, object]]:
    entries = body.get("entries")
    if not isinstance(entries, list) or not 1 <= len(entries) <= MAX_ENTRIES:
        detail = f"`entries` must be a list of 1 to {MAX_ENTRIES:,} objects."
        raise BadRequest(detail, [{"pointer": "#/entries", "detail": detail}])
    wrong = [position for position, entry in enumerate(entries) if not isinstance(entry, dict)]
    if wrong:
        errors = [{"pointer": f"#/entries/{position}", "detail": "An entry is an object."} for position in wrong]
        raise BadRequest(f"`entries` holds {len(wrong)} that are no objects; nothing was applied.", errors)
    return entries


def _read(raw: dict[str, object], position: int) -> Entry | UnreadableEntry:
    try:
        return read_entry(raw, position)
    except SunwiError as error:
        return UnreadableEntry(
            position, _player_of(raw), _number_of(raw, "board"), error, _number_of(raw, "competition")
        )


def _player_of(raw: dict[str, object]) -> str | None:
    """The player of an unreadable entry, if the field is valid; other text is not echoed."""
    try:
        return read_player(raw.get("player"))
    except SunwiError:
        return None


def _number_of(raw: dict[str, object], field: str) -> int | None:
    number = raw.get(field)
    return number if isinstance(number, int) and not isinstance(number, bool) and 0 < number < 2**63 else None


def _caller(request: HttpRequest) -> Caller:
    key = key_of(request)
    assert key is not None  # noqa: S101 - the route demands a key; for the type checker
    return Caller(key.name, None if key.boards is None else frozenset(key.boards))


def _result(outcome: Outcome, ranks: bool) -> dict[str, Any]:
    """The result of an entry; fields that do not apply are absent."""
    result: dict[str, Any] = {
        name: value for name, value in zip(_RESULT_FIELDS, outcome[1:8], strict=True) if value is not None
    }
    if ranks and outcome.status.is_accepted and not outcome.hides_ranks:
        result |= {"rank": outcome.rank, "previous_rank": outcome.previous_rank}
    if outcome.code is not None:
        result |= {"code": outcome.code, "detail": outcome.detail}
    if outcome.opens_at is not None:
        result["opens_at"] = when(outcome.opens_at)
    return result

"""API routes for giving, taking back and reading likes. PUT and DELETE are idempotent, except for repeatable kinds.

A thing is as public as its board. The trap: only lists hide the difference between things that are private and that do
not exist, by leaving both out; a single private thing is 401 or 403.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Path, Query

from foundation import clock
from foundation.http.problems import BadRequest
from foundation.messages import Message
from leaderboards.api.http.access import (
    OptionalKey,
    RequireKey,
    admit_everywhere,
    admit_reader,
    admit_writer,
    is_private,
    may_list,
)
from leaderboards.api.http.parameters import MOST_NAMED, PLAYER
from leaderboards.api.http.responses import etag_response, json_response
from leaderboards.core.input.entries import read_player
from leaderboards.models import Board
from likes.api.schemas import Liked, Likes, LikesListed
from likes.core.keys import THING
from likes.errors import UnknownThing
from likes.registry import get_kind
from likes.selectors import board_for_unlike, read_like_summaries
from likes.services.like import like, unlike
from likes.stores.base import LikeSummary

# Defaults of views' arguments, one for each parameter of the contract.
KIND = Path(..., description="What the thing is, as the site registered it.", example="comment")
ID = Path(..., description="The thing's id.", example="5")
VIEWER = Query(None, description="Whose `liked` is told: the game's own id of a player.", example="alice")
IDS = Query(..., description=f"Ids, separated by commas; repeatable; 1 to {MOST_NAMED}.", example=["1", "2", "3"])
WRITES = RequireKey("likes:write")

router = Router(tags=["likes"], auth=OptionalKey())


@router.get("/likes/{kind}/{id}", response=Likes)
def read_likes(request: HttpRequest, kind: str = KIND, id: str = ID, player: str | None = VIEWER) -> HttpResponse:  # noqa: A002 - the API names the parameter so
    """How often a thing is liked, and whether the player likes it."""
    viewer, board = _viewer(player), _board_of(kind, id)
    if board is not None:
        admit_reader(request, board)
    summary = read_like_summaries(kind, [id], viewer).get(id)
    if summary is None:
        raise _unknown()
    return etag_response(request, _to_json(summary), board is not None and is_private(board))


@router.get("/likes/{kind}", response=LikesListed)
def list_likes(
    request: HttpRequest, kind: str = KIND, ids: list[str] = IDS, player: str | None = VIEWER
) -> HttpResponse:
    """The same of up to 100 things; those that do not exist, or are not the caller's to see, are left out."""
    viewer, wanted = _viewer(player), _things(ids)
    boards = {
        thing: board for thing, board in _boards(kind, wanted).items() if board is None or may_list(request, board)
    }
    summaries = read_like_summaries(kind, [thing for thing in wanted if thing in boards], viewer)
    rows = [{"id": thing, **_to_json(each)} for thing, each in summaries.items()]
    private = any(board is not None and is_private(board) for board in boards.values())
    return etag_response(request, {"total": len(rows), "rows": rows}, private)


@router.put("/likes/{kind}/{id}/{player}", auth=WRITES, response=Liked)
def put_like(request: HttpRequest, kind: str = KIND, id: str = ID, player: str = PLAYER) -> HttpResponse:  # noqa: A002 - the API names the parameter so
    """The player likes the thing; an unknown player is made. Again it is the same, save of repeatable kinds."""
    return _change_like(request, like, (kind, id, player), _board_of(kind, id))


@router.delete("/likes/{kind}/{id}/{player}", auth=WRITES, response=Liked)
def delete_like(request: HttpRequest, kind: str = KIND, id: str = ID, player: str = PLAYER) -> HttpResponse:  # noqa: A002 - the API names the parameter so
    """They like it no more, hidden since or not. Again it is the same; of repeatable kinds one like is taken back."""
    return _change_like(request, unlike, (kind, id, player), board_for_unlike(kind, id, read_player(player)))


def _change_like(
    request: HttpRequest,
    change: Callable[[str, str, str, datetime], LikeSummary],
    named: tuple[str, str, str],
    board: Board | None,
) -> HttpResponse:
    if board is None:
        admit_everywhere(request)
    else:
        admit_writer(request, board)
    summary = change(*named, clock.now())
    return json_response({"liked": summary.liked, "count": summary.count})


def _to_json(summary: LikeSummary) -> dict[str, Any]:
    return {"count": summary.count, "liked": summary.liked, "live": summary.live}


def _board_of(kind: str, thing: str) -> Board | None:
    """The board whose readers may see the thing; None if everybody may. Raises ``UnknownKind``, ``UnknownThing``."""
    boards = _boards(kind, [thing])
    if thing not in boards:
        raise _unknown()
    return boards[thing]


def _boards(kind: str, things: list[str]) -> dict[str, Board | None]:
    """The boards of those things that exist. Raises ``UnknownKind``."""
    return dict(get_kind(kind).boards([thing for thing in things if THING.fullmatch(thing)]))


def _viewer(player: str | None) -> str | None:
    return None if player is None else read_player(player)


def _things(ids: list[str]) -> list[str]:
    """The requested ids, each once. Raises ``BadRequest``."""
    wanted = list(dict.fromkeys(each for part in ids for each in part.split(",") if each))
    if 1 <= len(wanted) <= MOST_NAMED:
        return wanted
    detail = f"{len(wanted)} ids are named; 1 to {MOST_NAMED} are possible at once."
    raise BadRequest(f"`ids`: {detail}", [{"parameter": "ids", "detail": detail}])


def _unknown() -> UnknownThing:
    return UnknownThing(Message("There is nothing of this kind with this id."))

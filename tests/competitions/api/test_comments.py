"""Comments in the API: the shape, the order, and what is in no answer."""

from collections.abc import Callable

import pytest

from competitions.models import Comment
from competitions.services.comment import delete
from competitions.services.moderate import hide
from leaderboards.api.encoding import when
from tests.competitions.site import SOON, draft, make_board, open_competition, player
from tests.competitions.talking import liked, say
from tests.leaderboards.api.conftest import Caller, problem

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_a_page_has_its_shape_to_the_letter(anybody: Caller) -> None:
    competition = open_competition()
    first, second = say(competition, "ann", "One\ntwo", at=SOON), say(competition, "bob", "Three", at=SOON)
    liked(first, "bob", "cleo")

    answer = anybody.get(f"/competitions/{competition.pk}/comments?offset=1&limit=1")

    row = {"id": first.pk, "player": "ann", "text": "One\ntwo", "created_at": when(SOON), "likes": 2}
    assert answer.json() == {"total": 2, "rows": [row]}
    assert second.pk > first.pk


def test_by_likes_on_request_and_by_nothing_else(anybody: Caller) -> None:
    competition = open_competition()
    best, newest = say(competition, "ann", "Best"), say(competition, "ann", "Newest")
    Comment.objects.filter(pk=best.pk).update(like_count=3)
    address = f"/competitions/{competition.pk}/comments"

    for query, order in (("", [newest.pk, best.pk]), ("?order=likes", [best.pk, newest.pk])):
        assert [row["id"] for row in anybody.get(address + query).json()["rows"]] == order
    for wrong in ("?order=worst", "?limit=0", "?limit=101", "?offset=-1"):
        problem(anybody.get(address + wrong), 422, "invalid_request")


def test_what_is_hidden_or_deleted_is_in_no_answer_for_no_key(anybody: Caller, game: Caller) -> None:
    competition = open_competition()
    hide(say(competition, "ann", "Rude").pk, "Rude.", SOON, None)
    delete(say(competition, "ann", "Gone").pk, player("ann"), SOON)

    for caller in (anybody, game):
        assert caller.get(f"/competitions/{competition.pk}/comments").json() == {"total": 0, "rows": []}


def test_an_unchanged_page_is_304_and_a_like_changes_it(anybody: Caller) -> None:
    comment = say(open_competition(), "ann")
    address = f"/competitions/{comment.competition_id}/comments"
    known = anybody.get(address)["ETag"]

    same = anybody.get(address, If_None_Match=known)
    liked(comment, "bob")
    changed = anybody.get(address, If_None_Match=known)

    assert (same.status_code, changed.status_code) == (304, 200)


def test_drafts_are_unknown_and_private_ones_need_a_key(anybody: Caller, make_key: Callable[..., str]) -> None:
    private = open_competition(make_board(visibility="private"))
    say(private, "ann")
    address = f"/competitions/{private.pk}/comments"

    problem(anybody.get(f"/competitions/{draft(private.board).pk}/comments"), 404, "unknown_competition")
    problem(anybody.get(address), 401, "unauthenticated")
    assert Caller(make_key("boards:read")).get(address).json()["total"] == 1

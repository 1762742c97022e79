"""A key that is limited to boards tries what is a matter of all boards: names, link codes, likes of what has none."""

import pytest

from leaderboards.models import LinkCode, Player
from likes.core.kinds import Storage
from likes.models import Like
from tests.leaderboards.api.conftest import Caller, Make, problem, with_key
from tests.likes.factories import LikeableFactory

SCOPES = ("scores:write", "players:write", "likes:write", "boards:read")


@pytest.mark.parametrize("own", [True, False])
def test_it_renames_nobody_and_draws_no_link_code_also_not_of_those_on_its_board(
    game: Caller, make_board: Make, own: bool
) -> None:
    mine, other = make_board("Mine", storage="sql"), make_board("Other", storage="sql")
    game.score(mine if own else other, alice=5)
    limited = with_key(*SCOPES, name="limited", boards=[mine])

    renamed = problem(limited.send("PUT", "/players/alice", {"name": "Cheater"}), 403, "forbidden")
    made = limited.send("PUT", "/players/nobody", {"name": "New"})
    drawn = problem(limited.send("POST", "/players/alice/link-code"), 403, "forbidden")

    assert f"limited to boards ({mine})" in renamed["detail"]
    assert f"limited to boards ({mine})" in drawn["detail"]
    assert made.status_code == 403
    assert [player.name for player in Player.objects.all()] == [""]
    assert not LinkCode.objects.exists()


def test_it_still_scores_and_removes_on_its_own_board_and_nowhere_else(make_board: Make) -> None:
    mine, other = make_board("Mine", storage="sql"), make_board("Other", storage="sql")
    limited = with_key(*SCOPES, name="limited", boards=[mine])

    scored = limited.score(mine, alice=5)["results"][0]["status"]
    elsewhere = limited.score(other, alice=5)["results"][0]["status"]

    assert (scored, elsewhere) == ("updated", "rejected")


def test_it_likes_nothing_that_belongs_to_no_board(db: None) -> None:
    LikeableFactory.create(kind="song", storage=Storage.SQL)
    limited = with_key("likes:write", name="limited", boards=[1])

    answers = [limited.send(method, "/likes/song/5/alice") for method in ("PUT", "DELETE")]

    for answer in answers:
        problem(answer, 403, "forbidden")
    assert not Like.objects.exists()
    assert with_key("likes:write").send("PUT", "/likes/song/5/alice").status_code == 200

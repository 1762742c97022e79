"""The commands for a player's own sake: player_export, player_erase."""

import pytest
from django.core.management.base import CommandError
from django.utils.translation import override

from foundation import clock
from leaderboards.services.link import make_code
from leaderboards.services.players import set_profile
from tests.leaderboards.commands.calls import run
from tests.leaderboards.services.site import make_board, score
from tests.links import links  # noqa: F401 (a fixture)

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_an_export_holds_all_that_is_kept_and_of_nobody_else(storage: str) -> None:
    board = make_board(storage, clock.now())
    score(board, {"alice": 7, "bob": 9}, clock.now(), id_="match")
    set_profile("alice", {"name": "Alice", "country": "KR"}, clock.now())
    make_code("alice", clock.now())

    printed = run("player_export", "alice")

    kept = printed.json
    assert (kept["player"]["external_id"], kept["player"]["name"], kept["player"]["country"]) == (
        "alice",
        "Alice",
        "KR",
    )
    assert kept["final standings"] == []
    [standing] = kept["standings"]
    assert (standing["points"], standing["period"].partition("/")[0]) == (7, str(board.seq))
    assert [row["external_id"] for row in kept["submissions"]] == ([] if storage == "redis" else ["match:alice"])
    assert len(kept["link codes"]) == 1
    assert "code_hash" not in printed.out
    assert "bob" not in printed.out


def test_an_erased_player_has_no_name_left_to_export() -> None:
    board = make_board("hybrid", clock.now())
    score(board, {"alice": 7}, clock.now())

    erased = run("player_erase", "alice").json

    assert erased["player"].startswith("erased-")
    assert len(erased["removed_from"]) == 1
    assert "alice" not in run("player_export", erased["player"]).out
    with pytest.raises(CommandError, match="There is no player 'alice'"):
        run("player_export", "alice")
    with pytest.raises(CommandError, match="There is no player 'alice'"):
        run("player_erase", "alice")


def test_an_export_has_the_same_names_in_every_language() -> None:
    score(make_board("sql", clock.now()), {"alice": 7}, clock.now())
    english = run("player_export", "alice").json

    with override("ko"):
        korean = run("player_export", "alice").json

    assert korean.keys() == english.keys()

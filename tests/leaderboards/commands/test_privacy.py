"""The commands for a player's own sake: player_export, player_erase."""

from datetime import datetime

import pytest
from django.core.management.base import CommandError
from django.utils.translation import override

from leaderboards.services.link import make_code
from leaderboards.services.players import set_profile
from tests.leaderboards.commands.calls import run
from tests.leaderboards.services.site import make_board, score


@pytest.mark.parametrize("storage", ["hybrid", "redis"])
def test_an_export_holds_all_that_is_kept_and_of_nobody_else_under_the_same_names_in_every_language(
    now: datetime, storage: str
) -> None:
    board = make_board(storage, now)
    score(board, {"alice": 7, "bob": 9}, now, id_="match")
    set_profile("alice", {"name": "Alice", "country": "KR"}, now)
    make_code("alice", now)

    printed = run("player_export", "alice")
    with override("ko"):
        korean = run("player_export", "alice").json

    kept = printed.json
    told = {name: kept["player"][name] for name in ("external_id", "name", "country")}
    assert told == {"external_id": "alice", "name": "Alice", "country": "KR"}
    assert kept["final standings"] == []
    [standing] = kept["standings"]
    assert (standing["points"], standing["period"].partition("/")[0]) == (7, str(board.seq))
    assert [row["external_id"] for row in kept["submissions"]] == ([] if storage == "redis" else ["match:alice"])
    assert len(kept["link codes"]) == 1
    assert "code_hash" not in printed.out
    assert "bob" not in printed.out
    assert korean.keys() == kept.keys()


def test_an_erased_player_has_no_name_left_to_export(now: datetime) -> None:
    score(make_board("hybrid", now), {"alice": 7}, now)

    erased = run("player_erase", "alice").json

    assert erased["player"].startswith("erased-")
    assert len(erased["removed_from"]) == 1
    assert "alice" not in run("player_export", erased["player"]).out
    for command in ("player_export", "player_erase"):
        with pytest.raises(CommandError, match="There is no player 'alice'"):
            run(command, "alice")

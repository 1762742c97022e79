"""Files of Redis from before an erasure: the name does not return, and nobody else goes."""

from typing import Any

import pytest

from foundation.sync.registering import register_server
from leaderboards.models import Period, Player
from leaderboards.services.moderation.remove import remove_player
from leaderboards.services.players.erase import erase_player
from leaderboards.services.sync.mirror import mirror
from leaderboards.services.sync.verify import verify_all
from tests.leaderboards.services.coming_back import agree, bring_to_rest, followed, shown
from tests.leaderboards.services.site import (
    NOON,
    WHO_DECIDES,
    crowd,
    files,
    in_redis,
    in_sql,
    make_board,
    period_of,
    restart_with,
    score,
)
from tests.links import links

__all__ = ["links"]

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def test_an_erased_name_does_not_return_with_older_files() -> None:
    period = followed({"ann": 1, "bob": 2})
    before = files()
    erase_player("bob", NOON)
    bring_to_rest()

    restart_with(before)

    agree(period)
    assert shown(period.board) == (True, [("ann", 1)])


@pytest.mark.parametrize("of_when", ["mirrored", "not mirrored", "removed"])
@pytest.mark.parametrize("form", [{"tie_break": "score"}, {"tie_break": "member"}, {"ties": "dense"}], ids=str)
def test_an_erased_name_does_not_return_with_older_files_where_redis_decides(
    form: dict[str, Any], of_when: str
) -> None:
    board = make_board("redis", **form)
    score(board, {"ann": 1, "bob": 2})
    period = period_of(board)
    if of_when != "not mirrored":
        mirror(period)
    if of_when == "removed":
        remove_player(board, "bob", NOON)
    before = files()
    mirror(period)
    erase_player("bob", NOON)
    score(board, {"cat": 3})

    restart_with(before)

    bring_to_rest()
    period.refresh_from_db()
    mirror(period)
    assert period.stale_since is None
    assert sum(each.differences for each in verify_all(NOON, 60.0)) == 0
    assert in_redis(period) == in_sql(period)
    assert not Player.objects.filter(external_id="bob").exists()
    assert not any(b"bob" in value for value in files().values())


def test_whoever_only_redis_has_stays_there_when_files_come_back_that_are_no_older_than_an_erasure() -> None:
    board = make_board("redis")
    score(board, {"ann": 1, "bob": 2})
    mirror(period_of(board))
    erase_player("bob", NOON)
    score(board, {"cat": 3})
    before = files()
    score(board, {"dan": 4})

    restart_with(before)

    bring_to_rest()
    assert shown(board) == (True, [("cat", 3), ("ann", 1)])


@WHO_DECIDES
def test_keys_of_a_final_period_that_older_files_bring_back_go_when_their_server_is_met(storage: str) -> None:
    period = crowd(make_board(storage), {"ann": 1, "bob": 2})
    before = files()
    Period.objects.filter(pk=period.pk).update(state="final")
    restart_with(before)

    register_server()

    assert [key for key in files() if str(period) in str(key) or period.family.zset in str(key)] == []

"""Erasing a player while others score, mirror or read: the name does not come back."""

import threading
from datetime import datetime
from unittest.mock import patch

import pytest

from leaderboards.errors import StorageUnavailable, UnknownPlayer
from leaderboards.models import LinkCode, Player
from leaderboards.services.moderation.remove import remove_from_period
from leaderboards.services.players import erase_hooks
from leaderboards.services.players.erase import erase_player
from leaderboards.services.players.link import make_code
from leaderboards.services.players.profiles import ensure_player, set_profile
from leaderboards.services.sync import mirror
from tests.at_once import at_once
from tests.leaderboards.services.players.test_erase import OLD, everywhere, played
from tests.leaderboards.services.site import (
    DAY,
    NOON,
    follow,
    in_redis,
    in_sql,
    score,
)


@pytest.mark.parametrize("storage", ["hybrid", "redis", "sql"])
def test_who_is_let_in_once_more_before_their_ban_is_heard_of_keeps_their_name_until_the_next_run(storage: str) -> None:
    _, running = played(storage=storage)
    them = Player.objects.filter(external_id=OLD)

    def late(player: Player, at: datetime) -> None:
        them.update(banned_at=None)
        score(running.board, {OLD: 8}, NOON + DAY)
        follow(running)
        them.update(banned_at=at)

    with patch.object(erase_hooks, "hooks_before", [late]), pytest.raises(StorageUnavailable):
        erase_player(OLD, NOON + DAY)

    assert them.exists()
    erase_player(OLD, NOON + DAY)
    assert OLD not in everywhere()
    assert len(in_sql(running)) == 2


def test_a_mirror_that_has_read_their_marks_is_waited_for_and_does_not_bring_the_name_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, running = played(storage="redis")
    has_read, go_on = threading.Event(), threading.Event()

    def pause(step: str) -> None:
        if step == "mirror.after_read" and not has_read.is_set():
            has_read.set()
            go_on.wait(5)

    def erase() -> None:
        has_read.wait(5)
        let_go = threading.Timer(0.5, go_on.set)  # long after somebody who does not wait is done
        let_go.start()
        erase_player(OLD, NOON + DAY)
        go_on.set()
        let_go.cancel()

    monkeypatch.setattr(mirror, "failpoint", pause)

    at_once([lambda: follow(running), erase])
    follow(running)

    assert OLD not in everywhere()
    assert in_redis(running) == in_sql(running)


@pytest.mark.parametrize("left", ["a standing", "a mark"])
def test_who_is_in_redis_once_more_when_they_are_renamed_keeps_their_name_until_the_next_run(left: str) -> None:
    _, running = played(storage="redis")
    them = Player.objects.filter(external_id=OLD)

    def late(player: Player, at: datetime) -> None:
        them.update(banned_at=None)
        score(running.board, {OLD: 8}, NOON + DAY)
        if left == "a mark":
            remove_from_period(running, OLD, at)
        them.update(banned_at=at)

    with patch.object(erase_hooks, "hooks_before", [late]), pytest.raises(StorageUnavailable):
        erase_player(OLD, NOON + DAY)

    assert them.exists()
    erase_player(OLD, NOON + DAY)
    follow(running)
    assert OLD not in everywhere()


def test_who_read_a_player_before_their_erasure_gives_them_nothing_after_it(monkeypatch: pytest.MonkeyPatch) -> None:
    read = ensure_player(OLD, NOON)
    erase_player(OLD, NOON)
    for service in ("profiles", "link"):
        monkeypatch.setattr(f"leaderboards.services.players.{service}.ensure_player", lambda *_: read)

    set_profile(OLD, {"name": "Kim"}, NOON)
    with pytest.raises(UnknownPlayer):
        make_code(OLD, NOON)

    assert (Player.objects.get().name, LinkCode.objects.exists()) == ("", False)

"""Asking for a purge: what is refused, what is told before, and what stands in the log."""

from typing import Any
from unittest.mock import Mock

import pytest

from foundation.audit.models import AuditEntry
from foundation.reasons import BadReason
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.errors import BadPurge
from leaderboards.models import Purge
from leaderboards.selectors.moderation import purges
from leaderboards.selectors.moderation.purges import UnaffectedCounts, preview_purge
from leaderboards.services.moderation import purge as asking
from leaderboards.services.moderation.purge import request_purge
from tests.leaderboards.factories import AdminFactory
from tests.leaderboards.services.purging import HOUR, ask, of, send
from tests.leaderboards.services.site import DAY, KEEPING, NOON, make_board


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "name a player, a board or a service key"),
        ({"service": "one", "until": NOON}, "ends before it begins"),
        ({"service": "one", "until": NOON + DAY}, "in the future"),
    ],
)
def test_a_range_of_nothing_or_of_what_is_to_come_is_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(BadPurge, match=said):
        ask(of(**wrong))
    assert not Purge.objects.exists()
    assert not AuditEntry.objects.filter(act=asking.PURGED).exists()


def test_a_board_that_keeps_no_submissions_is_refused_and_says_what_is_possible() -> None:
    board = make_board("redis")

    with pytest.raises(BadPurge, match="set or remove standings of its running period instead"):
        ask(of(board=board.seq))


def test_who_when_why_and_what_stand_in_the_log() -> None:
    boss = AdminFactory.create()
    board = make_board("sql")
    send(board, "a", 3)
    for reason in ("", " ", "x" * 301):
        with pytest.raises(BadReason):
            request_purge(of("a"), reason, NOON + HOUR, boss)

    made = request_purge(of("a"), " A leaked key. ", NOON + HOUR, boss)

    entry = AuditEntry.objects.get(act=asking.PURGED)
    assert (entry.act, entry.at, entry.by, entry.reason) == (asking.PURGED, NOON + HOUR, boss, "A leaked key.")
    assert set(entry.subjects.values_list("kind", "key")) == {
        ("purge", str(made.pk)),
        ("player", str(made.player_id)),
    }


@KEEPING
def test_it_is_told_before_what_ranks_do(storage: str) -> None:
    board = make_board(storage)
    send(board, "a", 9)
    send(board, "a", 5, NOON - HOUR)
    for name, number in {"b": 8, "c": 7, "d": 4}.items():
        send(board, name, number, NOON - HOUR)

    foreseen = preview_purge(of("a"))

    assert foreseen.moves == RankChanges(firsts=1, ranks=3)  # b is first, c second, a third; d stays fourth
    assert (foreseen.submissions, foreseen.players, foreseen.kept) == (1, 1, UnaffectedCounts())


@pytest.mark.parametrize("bound", ["MOST_REPLAYED", "MOST_PERIODS"])
def test_ranks_are_not_worked_out_of_a_range_that_is_too_great(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    send(make_board("sql"), "a", 9)
    send(make_board("sql", name="Other"), "a", 9)
    worked_out = Mock(return_value=RankChanges())
    monkeypatch.setattr(purges, "_sum_rank_changes", worked_out)
    assert preview_purge(of("a")).moves == RankChanges()

    monkeypatch.setattr(purges, bound, 1)
    foreseen = preview_purge(of("a"))

    assert (foreseen.submissions, foreseen.moves) == (2, None)
    assert worked_out.call_count == 1

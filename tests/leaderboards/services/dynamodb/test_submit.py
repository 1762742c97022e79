"""Scores of boards in DynamoDB: counted once, whatever is away, repeated, overtaken or frozen in between.

That they make what the policies say is held by tests/contracts.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection

from leaderboards.core.input.entries import read_entry
from leaderboards.core.ranking.policies import StandingState
from leaderboards.core.submissions import Caller, Outcome
from leaderboards.errors import Banned
from leaderboards.models import Board, PeriodState, Player, Standing, Submission
from leaderboards.services.periods.close import close_due
from leaderboards.services.submit import decide_dynamodb
from leaderboards.services.submit.pipeline import backfill, submit, submit_batch
from leaderboards.stores.dynamodb.writes import MOST_IDS, DynamoWriter, new_standing
from leaderboards.stores.sql.locks import lock_period_and_standings
from tests.leaderboards.services.dynamodb.conftest import away, silent_after_writes
from tests.leaderboards.services.restricting import EVERY_WAY, keep_out
from tests.leaderboards.services.site import DAY, NOON, make_board, period_of

GAME = Caller("game")
BANS = [each for each in EVERY_WAY if each.startswith("banned")]


def entry(board: Board, player: str, points: int, position: int = 0, **more: Any) -> Any:
    return read_entry({"board": board.seq, "player": player, "points": points, **more}, position)


def send(board: Board, *sent: tuple[str, int, str | None], **options: Any) -> list[Outcome]:
    """One request; each entry is a player, points and an id."""
    named = [({"id": id_} if id_ else {}) for *_, id_ in sent]
    entries = [entry(board, player, n, nth, **named[nth]) for nth, (player, n, _) in enumerate(sent)]
    return submit(entries, GAME, NOON, **options)


def told(outcomes: list[Outcome]) -> list[tuple[str, str | None, Any]]:
    return [(each.status.value, each.code, each.points) for each in outcomes]


def points(board: Board) -> dict[str, Any]:
    return {each.player: each.state.value[0] for each in DynamoWriter().walk(period_of(board))}


@pytest.fixture
def summed() -> Board:
    return make_board("dynamodb", update="increment")


def test_sql_gets_an_empty_standing_of_each_player_and_no_submission(summed: Board) -> None:
    send(summed, ("a", 5, "x"), ("b", 7, None), ("a", 1, None))

    assert points(summed) == {"b": 7, "a": 6}
    rows = Standing.objects.values_list("player__external_id", "score", "points", "metadata")
    assert sorted(rows) == [("a", None, None, None), ("b", None, None, None)]
    assert not Submission.objects.exists()


def test_an_entry_whose_answer_was_lost_counts_once_when_it_is_sent_again(summed: Board) -> None:
    with silent_after_writes():
        assert told(send(summed, ("a", 5, "x"), ("b", 7, "y"))) == [("unknown", "outcome_unknown", None)] * 2

    assert told(send(summed, ("a", 5, "x"), ("b", 7, "y"))) == [("duplicate", None, 5), ("duplicate", None, 7)]
    assert points(summed) == {"b": 7, "a": 5}


def test_while_it_is_away_scores_are_refused_and_none_is_half_done(summed: Board) -> None:
    send(summed, ("a", 5, "x"))
    with away():
        assert told(send(summed, ("a", 1, "y"), ("b", 1, "z"))) == [("rejected", "unavailable", None)] * 2
        assert told(send(summed, ("a", 1, None))) == [("rejected", "unavailable", None)]
        assert told(send(summed, ("a", 1, "y"), dry_run=True)) == [("rejected", "unavailable", None)]

    assert points(summed) == {"a": 5}
    assert told(send(summed, ("a", 1, "y"))) == [("updated", None, 6)]


def test_after_the_first_silence_of_a_request_nothing_more_is_sent(
    summed: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decide_dynamodb, "MOST_ITEMS", 1)
    with silent_after_writes():
        outcomes = send(summed, ("a", 5, "x"), ("b", 7, "y"), ("c", 9, "z"))

    assert [each.code for each in outcomes] == ["outcome_unknown", "unavailable", "unavailable"]
    assert points(summed) == {"a": 5}


def test_a_writer_that_is_overtaken_evaluates_anew_and_no_sum_is_lost(summed: Board) -> None:
    send(summed, ("a", 5, None))
    write, others = DynamoWriter.write, [1, 10, 100]

    def overtaken(self: DynamoWriter, period: Any, old: Any, new: Any, ids: Any) -> None:
        if others:  # somebody whom no lock of SQL kept out
            present = self.look_up(period, ["a"])["a"]
            value = (present.state.value[0] + others.pop(),)
            write(self, period, present, new_standing(period, "a", present.state._replace(value=value)), [])
        write(self, period, old, new, ids)

    with patch.object(DynamoWriter, "write", overtaken):
        assert told(send(summed, ("a", 1000, "x"))) == [("updated", None, 1116)]

    assert points(summed) == {"a": 1116}


def test_an_id_that_another_request_used_meanwhile_counts_once(summed: Board) -> None:
    write, others = DynamoWriter.write, [True]

    def overtaken(self: DynamoWriter, *arguments: Any) -> None:
        if others:
            others.clear()
            period, _, _, ids = arguments
            first = self.look_up(period, ["a"]).get("a")
            write(self, period, first, new_standing(period, "a", StandingState((7,), 1_000_000)), ids[:1])
        write(self, *arguments)

    with patch.object(DynamoWriter, "write", overtaken):
        outcomes = send(summed, ("a", 7, "x"), ("a", 2, "y"))

    assert [each.status.value for each in outcomes] == ["duplicate", "updated"]
    assert points(summed) == {"a": 9}


def test_ids_repeated_and_reused_within_a_request_and_after_it(summed: Board) -> None:
    request = [("a", 5, "x"), ("a", 5, "x"), ("a", 6, "x"), ("b", 5, "x"), ("b", 3, "y"), ("b", 3, "y")]
    reused, nothing = ("rejected", "id_reused", None), ("duplicate", None, 3)
    expected = [("updated", None, 5), ("duplicate", None, 5), reused, reused, ("updated", None, 3), nothing]

    dry = told(send(summed, *request, dry_run=True))
    assert (dry, told(send(summed, *request))) == (expected, expected)
    again = [("duplicate", None, 5), ("duplicate", None, 5), reused, reused, nothing, nothing]
    assert told(send(summed, *request, dry_run=True)) == told(send(summed, *request)) == again
    assert points(summed) == {"a": 5, "b": 3}


def test_an_id_of_an_entry_that_was_refused_is_free(summed: Board) -> None:
    most = 2**31 - 1
    outcomes = send(summed, ("a", most, "x"), ("a", most, "y"), ("b", 2, "y"))

    assert [each.code for each in outcomes] == [None, "out_of_range", None]
    assert points(summed) == {"a": most, "b": 2}


def test_more_entries_of_a_player_than_fit_a_transaction_all_count(summed: Board) -> None:
    sent = [("a", 1, f"x{nth}") for nth in range(MOST_IDS + 20)]

    assert Counter(each.status.value for each in send(summed, *sent)) == {"updated": len(sent)}
    assert Counter(each.status.value for each in send(summed, *sent)) == {"duplicate": len(sent)}
    assert points(summed) == {"a": len(sent)}


def test_a_repetition_is_known_after_its_period_is_final(summed: Board) -> None:
    send(summed, ("a", 5, "x"))
    close_due(NOON + DAY)

    late = entry(summed, "a", 5, id="x")
    [outcome] = submit([late], GAME, NOON + DAY)
    [other] = submit([entry(summed, "a", 6, id="x")], GAME, NOON + DAY)

    assert (outcome.status.value, outcome.period, outcome.points) == ("duplicate", period_of(summed).label, 5)
    assert other.code == "id_reused"


def test_a_period_that_is_closed_or_has_other_rules_takes_nothing(summed: Board) -> None:
    period = period_of(summed)
    send(summed, ("a", 5, "x"))
    entries = [entry(summed, "a", 1, id="y"), entry(summed, "a", 5, 1, id="x")]

    def close(*arguments: Any) -> Any:
        type(period).objects.filter(pk=period.pk).update(state=PeriodState.CLOSING, generation=period.generation + 1)
        return ensure(*arguments)

    ensure = lock_period_and_standings
    with patch.object(decide_dynamodb, "lock_period_and_standings", close):
        outcomes = submit(entries, GAME, NOON)

    assert [(each.status.value, each.code) for each in outcomes] == [("rejected", "period_closed"), ("duplicate", None)]
    assert DynamoWriter().look_up(period, ["a"])["a"].state.value == (5,)


@pytest.mark.parametrize("how", BANS)
def test_the_banned_are_refused_at_once_and_their_neighbours_score(summed: Board, how: str) -> None:
    send(summed, ("a", 5, None), ("b", 5, None))
    keep_out(how, summed, "a")

    assert told(send(summed, ("a", 1, None), ("b", 1, None))) == [("rejected", Banned.code, None), ("updated", None, 6)]


@contextmanager
def ended_while_dynamodb_was_asked() -> Iterator[None]:
    """SQL ends the session, and with it the locks, once DynamoDB has done what it was told: the commit fails."""
    decide, commit, ended = decide_dynamodb._decide_players, connection.commit, list[bool]()

    def decide_and_end(*arguments: Any) -> Any:
        ended.append(True)
        return decide(*arguments)

    def fail() -> None:
        if ended:
            connection.rollback()
            raise OperationalError("terminating connection due to idle-in-transaction timeout")
        commit()

    with patch.object(decide_dynamodb, "_decide_players", decide_and_end), patch.object(connection, "commit", fail):
        yield


def test_what_was_written_without_the_locks_of_sql_is_unknown_and_counts_once(summed: Board) -> None:
    send(summed, ("a", 5, None))

    with ended_while_dynamodb_was_asked():
        assert told(send(summed, ("a", 1, "x"))) == [("unknown", "outcome_unknown", None)]

    assert told(send(summed, ("a", 1, "x"))) == [("duplicate", None, 6)]


def test_past_entries_are_taken_by_an_import_into_a_period_that_ended(summed: Board) -> None:
    past = [entry(summed, "a", 5, id="x", at=(NOON - 3 * DAY).isoformat())]

    assert [each.status.value for each in backfill(past, GAME, NOON)] == ["updated"]
    assert [each.status.value for each in backfill(past, GAME, NOON)] == ["duplicate"]


def test_entries_of_several_requests_are_decided_together(summed: Board) -> None:
    entries = [entry(summed, player, 5, nth, id=f"{nth}") for nth, player in enumerate("abca")]

    outcomes = submit_batch(entries, GAME, NOON)

    assert told(outcomes) == [("updated", None, 5)] * 3 + [("updated", None, 10)]
    assert points(summed) == {"a": 10, "b": 5, "c": 5}


def test_metadata_and_the_far_future_are_refused_as_elsewhere(summed: Board) -> None:
    [detailed] = submit([entry(summed, "a", 5, metadata={"map": "x"})], GAME, NOON)
    [future] = submit([entry(summed, "a", 5, at=(NOON + timedelta(hours=1)).isoformat())], GAME, NOON)

    assert (detailed.code, future.code) == ("bad_entry", "in_the_future")
    assert "DynamoDB keeps no `metadata`" in str(detailed.detail)
    assert not Player.objects.exists()

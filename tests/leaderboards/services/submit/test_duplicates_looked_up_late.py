"""Ids are looked up where deciding would not tell, or too late, and nowhere else."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import pytest
from django.db import connection

from foundation.db.pipeline import _PipelinedRunner
from leaderboards.errors import RulesChanged
from leaderboards.models import Period, Player, Standing, Submission
from leaderboards.services.moderation.ban import ban
from leaderboards.services.submit import decide_sql, duplicates
from leaderboards.services.sync.resync_periods import resync_due
from leaderboards.stores.redis.writes import ZsetWriter
from tests.leaderboards.services.contest import told
from tests.leaderboards.services.sending import HOUR, SECOND, STORAGES, TURN, send
from tests.leaderboards.services.site import KEEPING, NOON, make_board
from tests.locked import locked, only_postgresql

pytestmark = pytest.mark.contract


class TestWhatIsAsked:
    @STORAGES
    def test_an_id_that_is_new_is_looked_up_nowhere(self, storage: str) -> None:
        board = make_board(storage, update="increment")
        send(board, {"player": "a", "points": 1})
        asked = AssertionError("it was looked up")

        with (
            patch.object(duplicates, "_used", side_effect=asked),
            patch.object(ZsetWriter, "look_up_ids", side_effect=asked),
            patch.object(duplicates, "cached_period", side_effect=asked),
        ):
            sent = send(board, {"player": "a", "points": 1, "id": "m1"}, {"player": "a", "points": 2}, at=NOON + SECOND)

        assert told(sent) == ["updated", "updated"]

    @only_postgresql
    def test_and_costs_hybrid_boards_no_statement_more_than_none(self) -> None:
        board = make_board("hybrid", update="increment")
        send(board, {"player": "a", "points": 1})

        with statements() as without:
            send(board, {"player": "a", "points": 1}, at=NOON + SECOND)
        with statements() as with_one:
            send(board, {"player": "a", "points": 1, "id": "m1"}, at=NOON + SECOND)

        assert len(with_one) == len(without)

    @KEEPING
    def test_a_repetition_makes_no_player_no_standing_and_opens_no_period(self, storage: str) -> None:
        board = make_board(storage)
        entry = {"player": "a", "points": 1, "id": "m1"}
        send(board, entry)
        opened = {*Period.objects.values_list("label", flat=True)}

        now = send(board, {**entry, "player": "b"}, at=NOON + SECOND)
        turned = send(board, entry, {**entry, "player": "c"}, at=TURN + SECOND)
        days_later = send(board, entry, at=TURN + 100 * HOUR)

        assert told([*now, *turned, *days_later]) == ["id_reused", "duplicate", "id_reused", "duplicate"]
        assert Player.objects.count() == Standing.objects.count() == 1
        assert {*Period.objects.values_list("label", flat=True)} == opened


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is said to SQL."""
    said: list[str] = []
    execute = _PipelinedRunner.execute

    def noted(self: _PipelinedRunner, sql: str, params: Sequence[Any]) -> Any:
        said.append(sql)
        return execute(self, sql, params)

    def wrapped(go_on: Any, sql: str, *more: Any) -> Any:
        said.append(sql)
        return go_on(sql, *more)

    with patch.object(_PipelinedRunner, "execute", noted), connection.execute_wrapper(wrapped):
        yield said


class TestInTheWay:
    """What is in the way of a request that trusted that its ids are new."""

    @KEEPING
    def test_what_is_refused_by_now_is_a_duplicate_if_it_counted(self, storage: str) -> None:
        board = make_board(storage, update="increment", total_maximum=10)
        entry = {"player": "a", "points": 8, "id": "m1"}
        send(board, entry)

        beyond = send(board, entry, {**entry, "id": "m2"}, {"player": "a", "points": 1, "id": "m3"})
        ban([Player.objects.get().pk], "Cheats.", NOON, None)
        banned = send(board, entry, {**entry, "id": "m2"}, {**entry, "points": 7})

        assert told(beyond) == ["duplicate", "out_of_range", "updated"]
        assert [each.points for each in beyond] == [8, None, 9]
        assert told(banned) == ["duplicate", "banned", "id_reused"]

    @STORAGES
    def test_on_a_board_of_all_time_redis_is_not_asked_what_a_banned_player_sends_again(self, storage: str) -> None:
        board = make_board(storage, period="all_time")
        entry = {"player": "a", "points": 8, "id": "m1"}
        send(board, entry)
        player, _ = Player.objects.get_or_create(external_id="a", defaults={"created_at": NOON})
        ban([player.pk], "Cheats.", NOON, None)

        assert told(send(board, entry)) == ["banned" if storage == "redis" else "duplicate"]

    @STORAGES
    def test_and_so_is_what_a_banned_player_sends_again_after_the_turn(self, storage: str) -> None:
        board = make_board(storage)
        entry = {"player": "a", "points": 8, "id": "m1"}
        send(board, entry, at=TURN - SECOND)
        send(board, {"player": "b", "points": 1}, at=TURN + SECOND)
        player, _ = Player.objects.get_or_create(external_id="a", defaults={"created_at": NOON})
        ban([player.pk], "Cheats.", TURN, None)

        sent = send(board, entry, {**entry, "id": "m2"}, at=TURN + 2 * SECOND)

        assert told(sent) == ["duplicate", "banned"]

    @only_postgresql
    def test_a_repetition_of_who_is_locked_is_told_so_and_its_neighbour_scores(self) -> None:
        board = make_board("hybrid")
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(board, entry, {"player": "b", "points": 5})

        with locked(Standing.objects.filter(player__external_id="a").values("pk")):
            sent = send(board, entry, {"player": "b", "points": 9, "id": "m2"})

        assert told(sent) == ["duplicate", "updated"]

    @KEEPING
    @pytest.mark.parametrize("repeated", [False, True], ids=["all new", "one repeated"])
    def test_a_refusal_in_a_later_part_undoes_the_parts_before_it_and_all_but_it_count(
        self, storage: str, repeated: bool
    ) -> None:
        board = make_board(storage, update="increment", maximum=5, total_maximum=1000)
        many = decide_sql.EVALUATION_CHUNK + 50
        raw = [{"player": f"p{nth % 7}", "points": 1, "id": f"m{nth}"} for nth in range(many)]

        banned = Player.objects.create(external_id="banned", banned_at=NOON)
        raw[-2] = {"player": banned.external_id, "points": 1, "id": "of one who is banned"}
        if repeated:
            send(board, raw[3])

        sent = send(board, *raw)

        said = ["updated"] * many
        said[-2] = "banned"
        said[3] = "duplicate" if repeated else "updated"
        assert told(sent) == said
        assert Submission.objects.count() == many - 1

    @KEEPING
    def test_many_ids_that_others_use_meanwhile_are_told_one_after_the_other(self, storage: str) -> None:
        board = make_board(storage, update="increment")
        raw = [{"player": "a", "points": 1, "id": f"m{nth}"} for nth in range(decide_sql.TRIES + 3)]
        send(board, {"player": "a", "points": 1})
        waiting, decide_once = raw[:-1], decide_sql._decide_once

        def raced(*arguments: Any) -> Any:
            with patch.object(decide_sql, "_decide_once", decide_once):
                if waiting:
                    send(board, waiting.pop(0))
            return decide_once(*arguments)

        with patch.object(decide_sql, "_decide_once", raced):
            sent = send(board, *raw)

        assert told(sent) == ["duplicate"] * (len(raw) - 1) + ["updated"]
        assert [each.points for each in sent][-1] == 1 + len(raw)

    @pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite is in the process: it answers")
    def test_a_lost_commit_leaves_a_repetition_as_it_was_told(self) -> None:
        board = make_board("hybrid")
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(board, entry)
        commit = _PipelinedRunner.commit

        def lost(pipelined: _PipelinedRunner) -> None:
            pipelined.execute("SELECT pg_terminate_backend(pg_backend_pid())", ())
            commit(pipelined)

        with patch.object(_PipelinedRunner, "commit", lost):
            sent = send(board, entry, {"player": "a", "points": 9, "id": "m2"})

        assert told(sent) == ["duplicate", "outcome_unknown"]

    @STORAGES
    def test_rules_that_changed_meanwhile_refuse_no_repetition(self, storage: str) -> None:
        board = make_board(storage, grace_seconds=3600)
        entry = {"player": "a", "points": 5, "id": "m1"}
        send(board, entry, at=TURN - SECOND)
        where: Any = ZsetWriter if storage == "redis" else decide_sql

        with patch.object(
            where, "prepare_submit" if storage == "redis" else "lock_period_and_standings", side_effect=RulesChanged
        ):
            sent = send(board, entry, {"player": "b", "points": 1, "id": "m2"}, at=TURN + SECOND)

        assert told(sent) == ["duplicate", "unavailable"]

    def test_ranks_of_a_repetition_are_of_the_period_that_it_counted_in(self) -> None:
        board = make_board("hybrid")
        send(board, {"player": "b", "points": 9}, {"player": "a", "points": 5, "id": "m1"})
        send(board, {"player": "a", "points": 7}, at=TURN + SECOND)
        resync_due(TURN)

        [again] = send(board, {"player": "a", "points": 5, "id": "m1"}, at=TURN + 2 * SECOND, ranks=True)

        assert (again.status.value, again.points, again.rank, again.previous_rank) == ("duplicate", 5, 2, 2)

    @STORAGES
    def test_a_repetition_tells_no_standing_that_an_entry_behind_it_made(self, storage: str) -> None:
        board = make_board(storage, update="increment")
        again, earlier = {"player": "a", "points": 5, "id": "m1"}, {"at": (TURN - SECOND).isoformat()}
        send(board, again, {"player": "b", "points": 1})

        sent = send(
            board,
            {"player": "b", "points": 1, **earlier},
            again,
            {"player": "a", "points": 7, **earlier},
            at=TURN + 5 * SECOND,
        )

        assert [(each.status.value, each.points) for each in sent] == [
            ("updated", 2),
            ("duplicate", 5),
            ("updated", 12),
        ]

    def test_one_that_was_taken_by_a_moderator_is_a_duplicate_to_who_is_trusted(self) -> None:
        board = make_board("hybrid", plausible_most=10)
        entry = {"player": "a", "points": 11, "id": "m1"}
        assert told(send(board, entry)) == ["plausible_most"]

        assert told(send(board, entry, trusted=True)) == ["updated"]
        assert told(send(board, entry, trusted=True)) == ["duplicate"]

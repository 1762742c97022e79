"""Scores of a file: judged before they count, refused by row, and counted once whatever dies meanwhile."""

import csv
import io
from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.utils.translation import override

from foundation import clock
from leaderboards.admin.imports.run_text import run_context
from leaderboards.errors import StorageUnavailable
from leaderboards.import_errors import BadTable, ImportNotReady, ImportNotUndoable, MissingColumn
from leaderboards.models import Board, ImportChunk, ImportKind, ImportRun, Period, Standing, Submission
from leaderboards.models.imports import Phase
from leaderboards.services.imports import actions, chunk_results, scores, worker
from leaderboards.services.imports import upload as uploading
from leaderboards.services.imports.upload import Upload, upload
from tests.at_once import at_once
from tests.leaderboards.factories import BoardFactory, PlayerFactory
from tests.leaderboards.imports.files import AT, confirmed, fresh, moved, play, points, sent, table, undone
from tests.leaderboards.services.restricting import keep_out

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def board() -> Board:
    return BoardFactory.create(storage="sql", at=AT)


def test_nothing_counts_before_somebody_says_yes_and_errors_are_told_by_row(board: Board) -> None:
    run = sent("scores", "player,points\nalice,5\nb/b,6\ncarol,many\ndave,7\n", board)

    assert (run.phase, run.rows, run.checked, run.refused) == (Phase.READY, 4, 4, 2)
    assert [(row, code) for row, code, _ in run.report["errors"]] == [(2, "bad_player"), (3, "bad_points")]
    assert points(board) == {}

    run = confirmed(run)

    assert (run.phase, run.applied, run.refused) == (Phase.DONE, 4, 2)
    assert points(board) == {"alice": 5, "dave": 7}
    assert not ImportChunk.objects.exclude(content=b"").exists()


def test_a_column_of_metadata_is_kept_and_bad_cells_are_refused_by_row(board: Board) -> None:
    deep = "[" * 17 + "]" * 17
    cells = ['{"car": "red"}', "", "car", "[1]", '{"a": 1, "a": 2}', '{"x": "%s"}' % ("a" * 2041), f'{{"a": {deep}}}']
    text = io.StringIO()
    lines = csv.writer(text)
    lines.writerows([["player", "points", "metadata"], *([f"p{nth}", 5, cell] for nth, cell in enumerate(cells, 1))])

    run = sent("scores", text.getvalue(), board, metadata="metadata")
    confirmed(run)

    assert [(row, code) for row, code, _ in run.report["errors"]] == [(nth, "bad_entry") for nth in (3, 4, 5, 6, 7)]
    why = [detail for _, _, detail in run.report["errors"]]
    for word, each in zip(("no JSON", "object", "twice", "2,049", "nested"), why, strict=True):
        assert word in each
    kept = dict(Standing.objects.filter(period__board=board).values_list("player__external_id", "metadata"))
    assert kept == {"p1": '{"car":"red"}', "p2": None}
    with pytest.raises(MissingColumn):
        sent("scores", "player,points\na,1\n", board, metadata="metadata")


def test_a_board_of_redis_refuses_rows_with_metadata_and_takes_others() -> None:
    redis = BoardFactory.create(storage="redis", at=AT)

    run = sent("scores", "player,points,metadata\na,1,{}\nb,2,\n", redis, metadata="metadata")

    assert [(row, code) for row, code, _ in run.report["errors"]] == [(1, "bad_entry")]


def test_what_it_does_to_ranks_is_told_as_it_then_is(board: Board) -> None:
    for name, worth in (("alice", 9), ("bob", 4)):
        play(board, name, worth)

    behind = sent("scores", "player,points\nbob,5\nalice,3\ncarol,1\n", board)
    ahead = sent("scores", "player,points\nbob,10\n", board)

    told = {"periods": 1, "changed": 1, "is_exact": True}
    assert behind.report["foreseen"] == told | {"entering": 1, "first_places": 0, "ranks": 1}  # carol has one anew
    assert ahead.report["foreseen"] == told | {"entering": 0, "first_places": 1, "ranks": 2}


def test_whom_nobody_sees_enters_no_ranking(board: Board) -> None:
    PlayerFactory.create(external_id="robin")
    keep_out("shadowed", board, "robin", at=AT)

    run = sent("scores", "player,points\nrobin,5\ncarol,1\n", board)

    assert run.report["foreseen"]["entering"] == 1


def test_a_worker_that_dies_between_the_scores_and_their_count_counts_nothing_twice(board: Board) -> None:
    board.update = "increment"
    board.save()
    Period.objects.filter(board=board).update(rules_json=board.rules.to_json())
    run = sent("scores", table("alice", "bob", "alice"), board)
    actions.confirm(run.pk, AT, None)

    with patch.object(worker, "record_applied", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        worker.advance_due(AT, 0)
    assert points(board) == {"alice": 10, "bob": 5}
    run = moved(run)

    assert points(board) == {"alice": 10, "bob": 5}
    assert (run.phase, run.applied, run.report["statuses"]) == (Phase.DONE, 3, {"updated": 3})
    assert undone(run).undone == 3
    assert points(board) == {}


def test_two_workers_with_the_same_chunk_count_it_once(board: Board) -> None:
    run = sent("scores", table("alice", "bob"), board)
    actions.confirm(run.pk, AT, None)
    run = fresh(run)
    chunk = run.chunks.get()
    finish = scores.apply(run, chunk, AT)
    again = scores.apply(run, chunk, AT)

    assert chunk_results.record_applied(run, chunk, finish, AT)
    assert not chunk_results.record_applied(run, chunk, again, AT)
    assert fresh(run).applied == 2


def test_two_workers_at_once_import_every_row_once() -> None:
    board = BoardFactory.create(storage="sql", update="increment", at=AT)
    names = [f"p{nth % 40}" for nth in range(600)]
    run = sent("scores", table(*names, worth=1), board)
    actions.confirm(run.pk, AT, None)

    at_once([lambda: worker.advance_due(AT, 30)] * 2)

    run = moved(run)
    assert (run.phase, run.applied, run.report["statuses"]) == (Phase.DONE, 600, {"updated": 600})
    assert set(points(board).values()) == {15}
    assert len(points(board)) == 40


def test_of_two_who_confirm_the_same_file_at_once_one_is_refused(board: Board) -> None:
    runs = [sent("scores", table("alice"), board) for _ in range(2)]

    def confirm(nth: int) -> str:
        try:
            actions.confirm(runs[nth].pk, AT + timedelta(seconds=nth), None)
        except ImportNotUndoable as error:
            return error.code
        return "confirmed"

    answers = at_once([lambda: confirm(0), lambda: confirm(1)])

    assert sorted(answers) == ["confirmed", "import_stays"]


def test_a_leased_run_is_left_to_its_worker_until_the_lease_ends(board: Board) -> None:
    run = sent("scores", table("alice"), board)
    actions.confirm(run.pk, AT, None)
    ImportRun.objects.update(leased_until=AT + worker.LEASE)

    assert worker.advance_due(AT, 0) == 0
    with clock.freeze_at(AT + worker.LEASE):
        assert worker.advance_due(AT, 0) == 1


@pytest.mark.parametrize("rows_per_chunk", [250, 2])
def test_an_id_that_stands_twice_in_a_file_counts_once_and_is_told_once(board: Board, rows_per_chunk: int) -> None:
    with patch.object(uploading, "ROWS_PER_CHUNK", rows_per_chunk):
        run = sent("scores", "player,points,id\nbob,5,a\ncarol,6,b\nbob,5,a\n", board, id="id")

    run = confirmed(run)

    assert run.report["statuses"] == {"updated": 2, "duplicate": 1}
    run = undone(run)
    assert (run.undone, run.left) == (2, 0)


@pytest.mark.parametrize(
    ("when", "said"),
    [
        ("noon", "Column when: `at` must be an RFC 3339 time with an offset"),
        ("2026-13-40", "2026-13-40 is no day that the calendar of"),
    ],
)
def test_a_time_that_is_none_is_refused_by_the_name_of_its_column(board: Board, when: str, said: str) -> None:
    file = f"player,points,when\nbob,5,{when}\n".encode()
    columns = {"player": "player", "points": "points", "at": "when", "id": ""}
    run = moved(upload(Upload(ImportKind.SCORES, "a.csv", file, None, board, columns), AT))

    [(row, _, detail)] = run.report["errors"]
    assert (row, detail[: len(said)]) == (1, said)
    with override("ko"):
        assert run_context(run, AT)["errors"][0][2] != detail


def test_a_row_with_an_empty_time_counts_as_it_is_confirmed(board: Board) -> None:
    file = b"player,points,when\nalice,5,\nbob,6,2026-11-18T10:00:00Z\n"
    columns = {"player": "player", "points": "points", "at": "when", "id": ""}
    judged = moved(upload(Upload(ImportKind.SCORES, "a.csv", file, None, board, columns), AT))

    run = confirmed(judged, AT + timedelta(minutes=5))

    assert (run.refused, points(board)) == (0, {"alice": 5, "bob": 6})
    own = Submission.objects.get(player__external_id="alice")
    assert (own.at, own.sent_at) == (AT + timedelta(minutes=5), None)


@pytest.mark.parametrize("part", ["player", "points", "at", "id"])
def test_a_column_that_is_missing_is_told_of_its_own_part(board: Board, part: str) -> None:
    columns = {"player": "player", "points": "points", "at": "", "id": "", part: "nowhere"}

    with pytest.raises(MissingColumn) as refused:
        upload(Upload(ImportKind.SCORES, "a.csv", b"player,points\nbob,5\n", None, board, columns), AT)

    assert refused.value.part == part


def test_a_run_that_slept_longer_than_redis_remembers_ids_stops_and_says_so() -> None:
    run = sent("scores", table("alice"), BoardFactory.create(storage="redis", at=AT))
    actions.confirm(run.pk, AT, None)

    run = moved(run, AT + timedelta(hours=13))

    assert (run.phase, run.applied) == (Phase.DONE, 0)
    assert "interrupted" in run.stopped


def test_while_a_storage_is_away_rows_wait_and_are_not_refused(board: Board) -> None:
    run = sent("scores", table("alice"), board)
    actions.confirm(run.pk, AT, None)

    with patch.object(scores, "import_batch", side_effect=StorageUnavailable("away")):
        assert worker.advance_due(AT, 0) == 0
    assert (fresh(run).applied, fresh(run).refused) == (0, 0)

    assert moved(run).report["statuses"] == {"updated": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"", "is empty"),
        (b"player,points\n", "no rows"),
        (b"player,player\na,b\n", "a column twice"),
        (b"who,points\na,1\n", "no column 'player'"),
        (b'player,points\nalice,"5\n', "is no CSV"),
        (b"player,points,\xff\na,1,2\n", "cannot be shown"),
        (b"player,points\n" + b"a,1\n" * 100_001, "more than 100000 rows"),
    ],
)
def test_a_file_that_is_no_table_is_refused_as_a_whole(board: Board, text: bytes, said: str) -> None:
    with pytest.raises(BadTable, match=said):
        sent("scores", text, board)

    assert not ImportRun.objects.exists()


def test_strange_cells_spoil_their_own_row_only(board: Board) -> None:
    run = confirmed(sent("scores", b"player,points\nal\xffice,5\nbob,6\nx,1,2\na\0b,3\ncarol\n", board))

    assert points(board) == {"bob": 6}
    assert [row for row, _, _ in run.report["errors"]] == [1, 3, 4, 5]


def test_what_is_thrown_away_while_it_is_judged_is_gone(board: Board) -> None:
    run = upload(Upload(ImportKind.SCORES, "a.csv", table("alice").encode(), board=board, columns={}), AT)
    evaluate = scores.evaluate

    def judged(*args: Any) -> chunk_results.Finish:
        actions.discard(run.pk)
        return evaluate(*args)

    with patch.object(scores, "evaluate", judged):
        assert worker.advance_due(AT, 0) == 0

    assert not ImportRun.objects.exists()


def test_a_run_is_confirmed_once_and_not_where_nothing_can_be_taken(board: Board) -> None:
    good, bad = sent("scores", table("alice"), board), sent("scores", table("a/b"), board)

    with pytest.raises(ImportNotReady, match="correct the file"):
        actions.confirm(bad.pk, AT, None)
    actions.confirm(good.pk, AT, None)
    with pytest.raises(ImportNotReady):
        actions.confirm(good.pk, AT, None)
    with pytest.raises(ImportNotReady):
        actions.discard(good.pk)
    actions.discard(bad.pk)
    assert ImportRun.objects.get() == good

"""A file beside an import into the same board that is being undone: it waits, and is judged by what stands then."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from leaderboards.errors import IdReused
from leaderboards.import_errors import ImportNotReady
from leaderboards.models import Board, Submission
from leaderboards.models.imports import Phase
from leaderboards.services.imports import actions, preview_scores, scores
from leaderboards.services.imports.worker import advance_due
from leaderboards.services.moderation.unvoid import unvoid_by_hand
from tests.at_once import at_once
from tests.leaderboards.factories import BoardFactory
from tests.leaderboards.imports.files import AT, confirmed, fresh, moved, points, sent, undone

pytestmark = pytest.mark.django_db(transaction=True)

SECOND = timedelta(seconds=1)
ROWS = 600  # more than one chunk


@pytest.fixture
def board() -> Board:
    return BoardFactory.create(storage="sql", at=AT)


def everybody(worth: int, rows: int = ROWS) -> str:
    """A file in which each row has an id."""
    return "player,points,id\n" + "".join(f"p{nth},{worth},i{nth}\n" for nth in range(rows))


@pytest.mark.parametrize("worth", [1, 2], ids=["the same file", "a corrected one"])
def test_a_file_waits_for_the_undoing_and_is_judged_anew(board: Board, worth: int) -> None:
    first = confirmed(sent("scores", everybody(1), board, id="id"))
    waiting = sent("scores", everybody(worth), board, AT + SECOND, id="id")
    actions.undo(first.pk, "Wrong.", AT + SECOND, None)

    for _ in range(2):
        with pytest.raises(ImportNotReady, match=f"Import {first.pk} into this board is being undone"):
            actions.confirm(waiting.pk, AT + SECOND, None)
        advance_due(AT + SECOND, 0)
    waiting = moved(waiting, AT + SECOND)

    assert (fresh(first).phase, waiting.phase) == (Phase.UNDONE, Phase.READY)
    assert (waiting.checked, waiting.refused, waiting.report["statuses"]) == (ROWS, 0, {"updated": ROWS})
    assert confirmed(waiting, AT + 2 * SECOND).report["statuses"] == {"updated": ROWS}
    assert points(board) == dict.fromkeys((f"p{nth}" for nth in range(ROWS)), worth)


def test_an_import_is_undone_only_once_another_into_its_board_is_done(board: Board) -> None:
    first = confirmed(sent("scores", everybody(1), board, id="id"))
    better = sent("scores", everybody(1, ROWS + 1), board, AT + SECOND, id="id")
    actions.confirm(better.pk, AT + SECOND, None)

    for _ in range(2):  # before the first chunk, and between two
        with pytest.raises(ImportNotReady, match=f"Import {better.pk} is being imported into this board"):
            actions.undo(first.pk, "Wrong.", AT + SECOND, None)
        advance_due(AT + SECOND, 0)
    moved(better, AT + SECOND)

    assert undone(first, AT + SECOND).phase is Phase.UNDONE


def test_of_an_undo_and_a_confirmation_at_once_one_waits(board: Board) -> None:
    first = confirmed(sent("scores", everybody(1, 3), board, id="id"))
    waiting = sent("scores", everybody(1, 4), board, AT + SECOND, id="id")

    def is_done(call: Callable[[], object]) -> bool:
        try:
            call()
        except ImportNotReady:
            return False
        return True

    undo, confirm = (
        lambda: is_done(lambda: actions.undo(first.pk, "Wrong.", AT + SECOND, None)),
        lambda: is_done(lambda: actions.confirm(waiting.pk, AT + SECOND, None)),
    )

    assert sorted(at_once([undo, confirm])) == [False, True]


@pytest.mark.parametrize("step", ["evaluate", "preview"])
def test_what_was_judged_across_the_end_of_an_undoing_is_judged_anew(
    board: Board, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    module = {"evaluate": scores, "preview": preview_scores}[step]
    look, meanwhile = getattr(module, step), [confirmed(sent("scores", everybody(1, 3), board, id="id"))]

    def overtaken(*of: Any) -> Any:
        found = look(*of)
        if meanwhile:
            undone(meanwhile.pop())
        return found

    monkeypatch.setattr(module, step, overtaken)
    waiting = moved(sent("scores", everybody(1, 3), board, AT + SECOND, id="id"))

    assert (waiting.phase, waiting.checked, waiting.report["statuses"]) == (Phase.READY, 3, {"updated": 3})
    assert waiting.report["foreseen"]["entering"] == 3


def test_the_command_waits_for_the_undoing_too(board: Board, tmp_path: Path) -> None:
    first = confirmed(sent("scores", everybody(1, 3), board, id="id"))
    actions.undo(first.pk, "Wrong.", AT, None)
    file = tmp_path / "again.csv"
    file.write_text(everybody(1, 3))
    again = ("import_scores", str(file), "--board", str(board.seq), "--player", "player", "--points", "points")

    with pytest.raises(CommandError, match="is being undone"):
        call_command(*again)
    moved(first)
    call_command(*again)

    assert points(board) == {"p0": 1, "p1": 1, "p2": 1}


def undone_with_ids(storage: str) -> Board:
    """Each score of a sum was taken back with its import."""
    board = BoardFactory.create(storage=storage, at=AT, update="increment")
    undone(confirmed(sent("scores", everybody(5, 2), board, id="id")))
    return board


def restore(player: str) -> bool:
    rows = Submission.objects.select_related("period__board", "player", "board")
    submission = rows.get(player__external_id=player, freed_id__isnull=False)
    return unvoid_by_hand(submission, "It was right.", AT + SECOND, None)


@pytest.mark.parametrize("storage", ["sql", "hybrid"])
def test_who_is_restored_by_hand_is_no_second_time_in_the_file_imported_again(storage: str) -> None:
    board = undone_with_ids(storage)

    assert restore("p0")
    again = confirmed(sent("scores", everybody(5, 2), board, AT + SECOND, id="id"), AT + SECOND)

    assert again.report["statuses"] == {"duplicate": 1, "updated": 1}
    assert points(board) == {"p0": 5, "p1": 5}


def test_who_was_imported_again_is_not_restored_beside_it() -> None:
    board = undone_with_ids("sql")
    confirmed(sent("scores", everybody(5, 2), board, AT + SECOND, id="id"), AT + SECOND)

    with pytest.raises(IdReused, match="edit or restore that one"):
        restore("p0")

    assert points(board) == {"p0": 5, "p1": 5}


def test_a_chunk_that_is_undone_twice_frees_its_ids_once(board: Board) -> None:
    run = confirmed(sent("scores", everybody(5, 2), board, id="id"))
    for _ in range(2):
        scores.undo(run.chunks.get(), AT)

    assert set(Submission.objects.values_list("freed_id", "external_id")) == {("i0", None), ("i1", None)}
    assert restore("p0")

"""Board settings of a file: all or none, as ``apply_boards`` takes them, and set back all or none."""

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.import_errors import BadTable, ImportNotReady, ImportNotUndoable
from leaderboards.models import Board, Period
from leaderboards.models.imports import Phase
from leaderboards.services.board_files import apply_boards
from leaderboards.services.imports import actions
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.imports.files import AT, boards_file, confirmed, fresh, moved, sent, undone

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def weekly() -> Board:
    apply_boards([{"name": "Weekly", "storage": "sql", "decimals": 2, "maximum": "99.5"}], AT)
    return Board.objects.get()


def test_boards_are_made_and_changed_after_the_yes_and_set_back_by_the_undo(weekly: Board) -> None:
    run = sent(
        "boards", boards_file({"name": "Weekly", "maximum": 50, "order": "asc"}, {"name": "Fresh", "storage": "sql"})
    )
    assert Board.objects.get() == weekly
    assert run.report["statuses"] == {"made": 1, "changed": 1}

    run = confirmed(run)
    weekly.refresh_from_db()
    assert (str(weekly.maximum), weekly.order) == ("50.000000", "asc")
    assert Period.objects.filter(board__name="Fresh").count() == 2

    run = undone(run)
    weekly.refresh_from_db()
    assert (run.phase, run.undone) == (Phase.UNDONE, 2)
    assert (str(weekly.maximum), weekly.order) == ("99.500000", "desc")
    assert {period.rules.order for period in weekly.periods.all()} == {"desc"}
    assert Board.objects.get() == weekly


def test_all_errors_are_told_and_one_keeps_all_boards_back(weekly: Board) -> None:
    run = sent(
        "boards",
        boards_file(
            {"name": "A", "timezone": "Mars"}, {"name": "B", "colour": 1}, {"name": "C"}, {"name": "D"}, {"name": "D"}
        ),
    )

    assert [row for row, _, _ in run.report["errors"]] == [1, 2, 4, 5]
    with pytest.raises(ImportNotReady):
        actions.confirm(run.pk, AT, None)
    assert Board.objects.get() == weekly


def test_a_board_that_was_changed_since_keeps_the_whole_undo_back(weekly: Board) -> None:
    run = confirmed(sent("boards", boards_file({"name": "Weekly", "unit": "seconds"}, {"name": "Fresh"})))
    apply_boards([{"name": "Weekly", "unit": "points"}], AT)

    with pytest.raises(ImportNotUndoable, match="`unit` was changed since"):
        actions.undo(run.pk, "Wrong.", AT, None)

    assert fresh(run).phase is Phase.DONE
    assert Board.objects.filter(name="Fresh").exists()


def test_a_new_board_that_was_played_on_stays(weekly: Board) -> None:
    run = confirmed(sent("boards", boards_file({"name": "Fresh", "storage": "sql"})))
    seq = Board.objects.exclude(pk=weekly.pk).get().seq
    submit([read_entry({"board": seq, "player": "alice", "points": 1}, 0)], Caller("test"), AT)

    with pytest.raises(ImportNotUndoable, match="has scores by now"):
        actions.undo(run.pk, "Wrong.", AT, None)

    assert Board.objects.filter(seq=seq).exists()


def test_what_cannot_be_applied_any_more_after_the_yes_stops_whole(weekly: Board) -> None:
    run = sent("boards", boards_file({"name": "Fresh", "storage": "sql"}, {"name": "Other", "storage": "sql"}))
    actions.confirm(run.pk, AT, None)
    apply_boards([{"name": "Other", "storage": "hybrid"}], AT)

    run = moved(run)

    assert (run.phase, run.applied) == (Phase.DONE, 0)
    assert "cannot change once a period exists" in run.stopped
    assert not Board.objects.filter(name="Fresh").exists()


def test_a_file_of_more_boards_than_a_page_can_show_is_refused() -> None:
    with pytest.raises(BadTable, match="more than 500 boards"):
        sent("boards", boards_file(*({"name": f"B{nth}"} for nth in range(501))))


@pytest.mark.parametrize(
    "text", ["[]", '{"boards": []}', '{"boards": [1]}', '{"boards": [{"name": "A", "name": "B"}]}']
)
def test_a_file_that_is_no_list_of_boards_is_refused_as_a_whole(text: str) -> None:
    with pytest.raises(BadTable):
        sent("boards", text)

"""A file may choose the number of a new board: one on every installation. No other board is ever touched by it."""

from datetime import datetime
from threading import Barrier

import pytest

from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.errors import BadBoard
from leaderboards.models import Board
from leaderboards.services import board_files
from leaderboards.services.board_files import apply_boards, preview_boards
from leaderboards.services.submit.pipeline import submit
from tests.at_once import at_once
from tests.leaderboards.imports.files import AT, boards_file, confirmed, sent, undone

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_new_board_has_the_chosen_number_and_sql_counts_on_behind_it() -> None:
    first = apply_boards([{"name": "First"}], AT)["First"]
    chosen, low = first + 1000, first + 500

    assert apply_boards([{"name": "Arena", "seq": chosen}, {"name": "Next"}], AT) == {
        "Arena": chosen, "Next": chosen + 1,
    }  # fmt: skip  # as a table
    assert apply_boards([{"name": "Low", "seq": low}, {"name": "After"}], AT) == {"Low": low, "After": chosen + 2}
    entry = read_entry({"board": chosen, "player": "ann", "points": 7}, 0)
    assert submit([entry], Caller("tests"), AT)[0].status == "updated"


def test_the_same_file_again_changes_nothing() -> None:
    file = [{"name": "Arena", "seq": 4100, "unit": "metres"}]
    apply_boards(file, AT)

    (change,) = preview_boards(file, AT)
    assert (change.is_new, change.changes) == (False, ())
    assert apply_boards(file, AT) == {"Arena": 4100}


def test_a_preview_of_a_new_board_says_its_number_and_writes_nothing() -> None:
    (change,) = preview_boards([{"name": "Arena", "seq": 4200}], AT)

    assert (change.is_new, change.board.seq) == (True, 4200)
    assert not Board.objects.exists()


@pytest.mark.parametrize("number", [0, -1, 1_000_000, 1.5, True, "7", None])
def test_a_number_that_is_none_is_refused(number: object) -> None:
    with pytest.raises(BadBoard, match=r"Arena: `seq` must be a whole number from 1 to 999,?999") as refused:
        apply_boards([{"name": "Arena", "seq": number}], AT)

    assert refused.value.field == "seq"


def test_a_board_keeps_its_number() -> None:
    number = apply_boards([{"name": "Arena"}], AT)["Arena"]

    with pytest.raises(BadBoard, match=f"Arena: This board has the number {number}, which never changes"):
        apply_boards([{"name": "Arena", "seq": number + 1, "unit": "metres"}], AT)

    assert Board.objects.get().unit == "points"


def test_the_number_of_another_board_is_refused_and_nothing_is_made() -> None:
    number = apply_boards([{"name": "Arena"}], AT)["Arena"]

    with pytest.raises(BadBoard, match=f"Copy: The number {number} belongs to another board"):
        apply_boards([{"name": "Fresh"}, {"name": "Copy", "seq": number}], AT)
    with pytest.raises(BadBoard, match="`seq` 4300 is given to 2 boards"):
        apply_boards([{"name": "A", "seq": 4300}, {"name": "B", "seq": 4300}], AT)

    assert [*Board.objects.values_list("name", flat=True)] == ["Arena"]


def test_two_files_that_choose_one_number_at_once_make_one_board(monkeypatch: pytest.MonkeyPatch) -> None:
    both, save = Barrier(2), board_files._save

    def save_together(board: Board, at: datetime) -> None:
        both.wait(10)  # both have seen that the number is free
        save(board, at)

    monkeypatch.setattr(board_files, "_save", save_together)
    refused = []

    def make(name: str) -> None:
        try:
            apply_boards([{"name": name, "seq": 4400}], AT)
        except BadBoard as error:
            refused.append(error.detail)

    at_once([lambda: make("A"), lambda: make("B")])

    board = Board.objects.get()
    assert board.seq == 4400
    assert refused == [
        f"{'B' if board.name == 'A' else 'A'}: The number 4400 belongs to another board: choose one that is free."
    ]


def test_an_upload_with_a_number_is_made_and_undone() -> None:
    run = confirmed(sent("boards", boards_file({"name": "Arena", "seq": 4500})))
    assert run.report["statuses"]["made"] == 1
    assert Board.objects.get().seq == 4500

    undone(run)
    assert not Board.objects.exists()

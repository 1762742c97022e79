"""A board is saved only after its admin has seen what saving does, and only as they have seen it."""

from datetime import UTC, datetime, timedelta
from html import unescape

import pytest
from django.test import Client

from foundation import clock
from leaderboards.admin.boards.preview_seal import SEAL_FIELD, SEAL_MAX_AGE_SECONDS, matches_seal, sealed
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, Submission
from leaderboards.selectors.previews.board_change import board_change
from leaderboards.services.board_files import apply_boards, preview_boards
from leaderboards.services.boards import SETTINGS
from leaderboards.services.submit.pipeline import submit
from tests.at_once import at_once
from tests.leaderboards.admin.typed import change, make_board, save, typed_from

pytestmark = pytest.mark.django_db(transaction=True)

AT = datetime(2026, 11, 18, 12, tzinfo=UTC)


def play(board: Board, at: datetime, *players: str) -> None:
    entries = [read_entry({"board": board.seq, "player": each, "points": 5}, nth) for nth, each in enumerate(players)]
    submit(entries, Caller("test"), at)


def foreseen(client: Client, board: Board, **changed: str) -> tuple[str, str]:
    """The page that tells what a change would do, and its seal."""
    answer = client.post(change(board), typed_from(board, **changed))
    return unescape(answer.content.decode()), answer.context["foreseen"]["seal"]


def test_a_change_is_shown_with_old_and_new_values_from_when_and_for_how_many_before_it_is_saved(
    admin: Client,
) -> None:
    with clock.freeze_at(AT):
        board = make_board(timezone="Europe/Berlin")
        play(board, AT, "alice", "bob")

        page, _ = foreseen(admin, board, order="asc", unit="seconds")

        assert (
            "From Mon 23 Nov 00:00 CET on the next period ranks by the new rules; "
            "the 2 players of the running one keep their ranks."
        ) in page
        assert "re-ranks" not in page
        assert "The running period keeps its rules until Mon 23 Nov 00:00 CET." in page
        assert '<th scope="row">Order</th><td>more is better</td><td>less is better</td>' in page
        stored = Board.objects.get(pk=board.pk)
        assert (stored.order, stored.unit) == (board.order, board.unit)

        save(admin, board, order="asc")
        assert Board.objects.get(pk=board.pk).order == "asc"


def test_what_was_not_shown_is_not_saved(admin: Client) -> None:
    board = make_board()
    _, seal = foreseen(admin, board, order="asc")

    other = admin.post(change(board), typed_from(board, order="asc", retention_days="3") | {SEAL_FIELD: seal})
    forged = admin.post(change(board), typed_from(board, order="asc") | {SEAL_FIELD: seal[:-1] + "x"})

    assert "Look once more." in other.content.decode()
    assert other.context["foreseen"]["seal"] != seal
    assert forged.context["foreseen"] is not None
    assert Board.objects.get(pk=board.pk).order == "desc"


def test_two_admins_at_once_the_second_sees_what_the_first_has_changed(admin: Client) -> None:
    board = make_board()
    _, seal = foreseen(admin, board, retention_days="60")

    save(admin, board, retention_days="90")
    answer = admin.post(change(board), typed_from(board, retention_days="60") | {SEAL_FIELD: seal})

    assert "<td>90</td><td>60</td>" in answer.content.decode()
    assert Board.objects.get(pk=board.pk).retention_days == 90


def test_of_two_admins_who_save_at_once_one_looks_again(admin: Client) -> None:
    board = make_board()
    typed = [typed_from(board, retention_days=days) for days in ("60", "90")]
    seals = [admin.post(change(board), each).context["foreseen"]["seal"] for each in typed]

    def post(nth: int) -> int:
        return admin.post(change(board), typed[nth] | {SEAL_FIELD: seals[nth]}).status_code

    answers = at_once([lambda: post(0), lambda: post(1)])

    assert sorted(answers) == [200, 302]
    saved = [60, 90][answers.index(302)]
    assert Board.objects.get(pk=board.pk).retention_days == saved


def test_a_turn_of_the_period_or_many_newcomers_call_for_another_look() -> None:
    board = make_board(period="day")
    board.order = "asc"
    with clock.freeze_at(AT):
        play(board, AT, "alice")
        seal = sealed(board_change(board, SETTINGS, AT))

        assert matches_seal(seal, board_change(board, SETTINGS, AT))
        assert not matches_seal(seal, board_change(board, SETTINGS, AT + timedelta(days=1)))
        play(board, AT, *(f"p{nth}" for nth in range(9)))
        assert matches_seal(seal, board_change(board, SETTINGS, AT))
        play(board, AT, *(f"q{nth}" for nth in range(9)))
        assert not matches_seal(seal, board_change(board, SETTINGS, AT))


def test_what_was_seen_holds_for_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board()
    board.unit = "seconds"
    seal = sealed(board_change(board, SETTINGS, AT))

    assert matches_seal(seal, board_change(board, SETTINGS, AT))
    monkeypatch.setattr("django.core.signing.time.time", lambda: clock.now().timestamp() + SEAL_MAX_AGE_SECONDS + 1)
    assert not matches_seal(seal, board_change(board, SETTINGS, AT))


def test_what_cannot_be_taken_back_is_counted() -> None:
    at = clock.now()
    board = make_board(keep_submissions_days=90, retention_days=30, storage="hybrid")
    play(board, at, "alice", "bob")
    Period.objects.filter(submissions__isnull=False).update(state="final", closed_at=at - timedelta(days=20))

    board.keep_submissions_days, board.retention_days = 10, 5
    shorter = board_change(board, SETTINGS, at)
    board.keep_submissions_days, board.retention_days = 100, 31
    longer = board_change(board, SETTINGS, at)

    assert (shorter.submissions, shorter.periods) == (2, 1)
    assert (longer.submissions, longer.periods) == (0, 0)
    assert Submission.objects.count() == 2


def test_a_change_of_nothing_asks_nothing(admin: Client) -> None:
    board = make_board()

    answer = admin.post(change(board), typed_from(board))

    assert answer.status_code == 302


def test_the_dry_run_of_a_file_tells_the_same_and_writes_nothing() -> None:
    board = make_board()
    play(board, AT, "alice")
    wanted = [{"name": board.name, "order": "asc"}, {"name": "Fresh", "storage": "sql"}]

    changed, made = preview_boards(wanted, AT)

    assert [each.setting for each in changed.changes] == ["order"]
    assert made.board.pk is None
    assert "storage" in made.fixed
    assert Board.objects.get().order == "desc"
    assert apply_boards(wanted, AT).keys() == {"Made", "Fresh"}

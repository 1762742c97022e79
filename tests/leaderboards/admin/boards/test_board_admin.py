"""Making, changing, replacing and ending boards in the admin."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.core.input.entries import read_entry
from leaderboards.core.periods import window_at
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Period, Standing
from leaderboards.services.boards import pending_changes
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.admin.typed import ADD, LIST, act, change, make_board, page, save, settings, typed_from

pytestmark = pytest.mark.django_db(transaction=True)


def score(board: Board) -> None:
    submit([read_entry({"board": board.seq, "player": "alice", "points": 5}, 0)], Caller("test"), clock.now())


def test_a_board_is_made_with_two_periods_and_listed_with_its_players_and_next_boundary(admin: Client) -> None:
    for kind in ("all_time", "event"):
        make_board(name=kind, period=kind)
    admin.post(ADD, settings(name="Weekly wins", update="increment", timezone="Asia/Seoul"))
    board = Board.objects.get(name="Weekly wins")
    score(board)

    html = page(admin, LIST)

    assert board.update == "increment"
    assert Period.objects.filter(board=board).count() == 2
    assert f"LeaderBoard_{board.seq}_{window_at(board.calendar, clock.now()).label}" in page(admin, change(board))
    assert "00:00 KST" in html
    assert 'class="field-players">1</td>' in html


def test_a_preset_fills_the_form_without_javascript(admin: Client) -> None:
    html = page(admin, f"{ADD}?preset=golf")

    assert 'value="Golf"' in html
    assert re.findall(r'<option value="(\w+)" selected>', html)[:2] == ["day", "asc"]
    assert "Less points are better" in html


REFUSED: list[tuple[dict[str, str], str, str]] = [
    ({"timezone": "Mars/Olympus"}, "timezone", "is no time zone"),
    ({"cutoff": "4.30"}, "cutoff", "00:00 or 04:30"),
    ({"minimum": "10", "maximum": "5"}, "minimum", "lower the one or raise the other"),
    ({"tie_break": "score", "total_maximum": "1099511627776"}, "tie_break", "put the time in the member"),
    ({"criteria": '[{"name": "stage", "max": 9}]'}, "criteria", "`desc` or `asc`"),
    ({"criteria": '[{"name": "stage", "max": 9, "order": "desc"}]', "update": "increment"}, "update", "added up"),
    ({"decimals": "3", "maximum": "0.0001"}, "maximum", "3 decimals"),
    ({"name": " "}, "name", "required"),
    ({"name": "Taken"}, "name", " has this name."),
    ({"name": "Week\u202ely"}, "name", "turns the direction"),
    ({"name": "Week\x07ly"}, "name", "cannot be shown"),
]


def test_what_cannot_work_is_refused_at_its_field_with_what_would(admin: Client) -> None:
    taken = make_board(name="Taken")

    for changed, field, said in REFUSED:
        answer = admin.post(ADD, settings(**changed))

        assert answer.status_code == 200, changed
        assert said in " ".join(answer.context["adminform"].form.errors[field]), changed
    assert Board.objects.get() == taken


def test_what_is_fixed_once_a_period_exists_stays_whatever_a_browser_sends(admin: Client) -> None:
    board, all_time = make_board(), make_board(name="For ever", period="all_time")

    save(admin, board, period="day", timezone="Asia/Seoul", storage="redis", name="Renamed")
    admin.post(change(all_time), typed_from(all_time, order="asc"))

    stored = Board.objects.get(pk=board.pk)
    assert (stored.name, stored.period, stored.timezone, stored.storage) == ("Renamed", "week", "UTC", "sql")
    assert Board.objects.get(pk=all_time.pk).order == "desc"
    assert "Fixed since the first period opened." in unescape(page(admin, change(board)))


def test_a_changed_rule_waits_for_the_next_period_says_from_when_and_can_be_cancelled(admin: Client) -> None:
    board = make_board(timezone="Asia/Seoul", decimals=2, maximum="1234.5")

    save(admin, board, order="asc", maximum="100")

    html = unescape(page(admin, change(board)))
    assert re.search(r"From Mon \d+ \w{3} 00:00 KST:</strong> order less is better; maximum 100\.", html)
    running, following = Period.objects.filter(board=board).order_by("starts_at")
    assert (running.rules.order, following.rules.order) == ("desc", "asc")

    answer = admin.post(change(board), typed_from(board) | {"_cancel_changes": "1"}, follow=True)

    assert "The changes are cancelled" in answer.content.decode()
    stored = Board.objects.get(pk=board.pk)
    assert (stored.order, str(stored.maximum)) == ("desc", "1234.500000")
    assert pending_changes(stored, clock.now()) == {}


def test_a_changed_schedule_waits_for_the_next_window_and_can_be_cancelled(admin: Client) -> None:
    board = make_board(period="schedule", schedule="0 */6 * * *", timezone="Asia/Seoul")

    shown = save(admin, board, schedule="30 */6 * * *", open_minutes="60")

    assert "30 */6 * * *" in shown
    html = unescape(page(admin, change(board)))
    assert re.search(r"From \w{3} \d+ \w{3} \d\d:00 KST:</strong> schedule 30 \*/6 \* \* \*; open, minutes 60\.", html)
    assert "The next ten windows" in html
    running, following = Period.objects.filter(board=board).order_by("starts_at")
    assert (running.label[-2:], following.label[-2:]) == ("00", "30")

    admin.post(change(board), typed_from(board) | {"_cancel_changes": "1"}, follow=True)

    stored = Board.objects.get(pk=board.pk)
    assert (stored.schedule, stored.open_minutes, stored.past_schedules) == ("0 */6 * * *", None, [])
    assert [each.label[-2:] for each in Period.objects.filter(board=board)] == ["00", "00"]


def test_the_list_and_the_form_of_a_board_between_two_windows_tell_when_it_opens(admin: Client) -> None:
    month = (clock.now() + timedelta(days=45)).month
    make_board(period="schedule", schedule=f"0 12 1 {month} *", open_minutes=60, timezone="Asia/Seoul")

    html = page(admin, LIST)

    assert re.search(r'field-boundary">\w{3} 1 \w{3} 12:00 KST<', html)


def test_a_schedule_is_refused_on_other_boards_at_its_field(admin: Client) -> None:
    shown = admin.post(ADD, settings(period="day", schedule="0 12 * * *"))
    empty = admin.post(ADD, settings(period="schedule"))

    assert list(shown.context["adminform"].form.errors) == ["schedule"]
    assert list(empty.context["adminform"].form.errors) == ["schedule"]


def test_saving_as_new_makes_a_board_and_retires_the_old_one_under_the_same_name(admin: Client) -> None:
    old = make_board(name="League", update="increment")
    address = f"{ADD}?from={old.seq}"
    assert '<option value="increment" selected>' in page(admin, address)

    refused = admin.post(address, typed_from(old, timezone="Nowhere"))
    assert refused.status_code == 200
    assert Board.objects.get().retired_at is None

    answer = admin.post(address, typed_from(old, period="month"), follow=True)

    new = Board.objects.get(name="League", retired_at=None)
    assert (new.period, new.update) == ("month", "increment")
    assert new.seq != old.seq
    assert Board.objects.get(pk=old.pk).retired_at == window_at(old.calendar, clock.now()).ends_at
    assert f"({old.seq}) is retired" in answer.content.decode()
    assert Period.objects.filter(board=new).count() == 2


def test_retiring_is_asked_once_more(admin: Client) -> None:
    board = make_board()

    assert "can not be undone" in act(admin, LIST, "retire", board)
    assert Board.objects.get().retired_at is None
    act(admin, LIST, "retire", board, confirmed="1")
    assert Board.objects.get().retired_at is not None


@pytest.mark.parametrize("storage", ["sql", "redis"])
def test_a_board_with_scores_cannot_be_deleted_and_one_without_can(admin: Client, storage: str) -> None:
    played, empty = make_board(name="Played", storage=storage), make_board(name="Empty", storage=storage)
    score(played)
    assert Standing.objects.exists() == (storage == "sql")  # else only Redis has the score yet

    refused = admin.post(f"/admin/leaderboards/board/{played.seq}/delete/", {"post": "yes"})
    done = admin.post(f"/admin/leaderboards/board/{empty.seq}/delete/", {"post": "yes"})

    assert (refused.status_code, done.status_code) == (403, 302)
    assert [board.name for board in Board.objects.all()] == ["Played"]


def test_staff_without_permission_may_neither_see_nor_retire(stranger: Client) -> None:
    board = make_board()

    answers = [
        *(stranger.get(address) for address in (LIST, change(board))),
        stranger.post(change(board), {"_cancel_changes": "1"}),
        stranger.post(LIST, {"action": "retire", "_selected_action": [board.pk], "confirmed": "1"}),
        stranger.post(f"{ADD}?from={board.seq}", typed_from(board)),
    ]

    assert [answer.status_code for answer in answers] == [403] * 5
    assert Board.objects.get().retired_at is None


def test_operators_have_one_order_and_a_save_announces_no_change_of_it(admin: Client) -> None:
    page = admin.get(ADD).content.decode()
    admin.post(ADD, settings(name="Fresh", operators=["decrement", "set"]))
    old = make_board(name="Old", operators=["increment", "best", "set"])  # stored before there was one order

    ticked = {"name": "Renamed", "operators": ["set", "best", "increment"]}
    shown = admin.post(change(old), typed_from(old, **ticked)).context["foreseen"]
    save(admin, old, **ticked)

    assert "Operators:" in page
    assert Board.objects.get(name="Fresh").operators == ["set", "decrement"]
    assert Board.objects.get(name="Renamed").operators == ["set", "best", "increment"]
    assert AuditEntry.objects.filter(act="board.changed").latest("pk").after == {"name": "Renamed"}
    assert len(shown["rows"]) == 1

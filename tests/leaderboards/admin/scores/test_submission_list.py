"""The list of one player's submissions: how many one click voids, by board and by value, with names and times."""

import re
from datetime import timedelta

import pytest
from django.test import Client

from foundation import clock
from leaderboards.admin.scores.submission_admin import SubmissionAdmin
from leaderboards.models import Player, Submission
from leaderboards.services.submit.sample_score import SERVICE
from tests.leaderboards.admin.moderation.test_quarantine_admin import send
from tests.leaderboards.admin.typed import make_board

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]
LIST = "/admin/leaderboards/submission/"


def address(**more: str) -> str:
    ann = Player.objects.get(external_id="ann")
    return LIST + "?" + "&".join(f"{name}={value}" for name, value in {"player__id__exact": ann.pk, **more}.items())


def voiding_form(html: str) -> str:
    [form] = re.findall(r'<form method="post" class="void-these".*?</form>', html, re.DOTALL)
    return str(form)


def test_the_click_says_of_how_many_and_can_take_all(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubmissionAdmin, "list_per_page", 2)
    board = make_board(update="increment")
    for points in (1, 2, 3):
        send(board, ann=points)
    form = voiding_form(admin.get(address()).content.decode())
    chosen = re.findall(r'name="_selected_action" value="(\d+)"', form)
    asked = {"action": "void", "index": "0", "_selected_action": chosen}

    first = admin.post(address(), {**asked, "select_across": "0"}).content.decode()
    every = admin.post(address(), {**asked, "select_across": "1"}).content.decode()

    assert "Void 2 submissions of 3…" in form
    assert "Void all 3…" in form
    numbers = [len(re.findall(r'name="_selected_action" value="(\d+)"', page)) for page in (first, every)]
    assert numbers == [2, 3]


def test_more_than_can_be_voided_at_once_are_not_offered(admin: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SubmissionAdmin, "list_per_page", 2)
    monkeypatch.setattr("leaderboards.admin.scores.submission_admin.MOST_AT_ONCE", 2)
    board = make_board(update="increment")
    for points in (1, 2, 3):
        send(board, ann=points)

    form = voiding_form(admin.get(address()).content.decode())

    assert "Void all" not in form
    assert "At most 2 are voided at once." in form


def test_one_players_are_filtered_by_board_sorted_by_value_and_have_seconds(admin: Client) -> None:
    one, other = make_board(name="Fast"), make_board(name="Far")
    make_board(name="Unplayed")
    send(one, ann=5)
    send(one, ann=9)
    send(other, ann=7)

    html = admin.get(address()).content.decode()
    of_one = admin.get(address(board=str(one.pk))).content.decode()
    column = SubmissionAdmin.list_display.index("value") + 1
    ordered = admin.get(address(o=str(column))).content.decode()
    everybody = admin.get(LIST).content.decode()

    assert {"Fast", "Far"} <= set(re.findall(r">(Fast|Far|Unplayed)</a>", html)) - {"Unplayed"}
    assert re.findall(r'field-value">(\d+)', of_one) == ["9", "5"]
    assert re.findall(r'field-value">(\d+)', ordered) == ["5", "7", "9"]
    assert re.search(r'field-happened">\w{3}\s\d+\s\w{3}\s\d{4} \d\d:\d\d:\d\d\sUTC<', html)
    assert "By board" not in everybody
    assert "sortable column-value" not in everybody


def test_the_confirmation_names_the_player_and_tells_places_as_the_board_does(admin: Client) -> None:
    board = make_board(unit="milliseconds", order="asc")
    send(board, ann=65250)
    Player.objects.filter(external_id="ann").update(name="Ann Lee")
    row = Submission.objects.get()

    shown = admin.post(LIST, {"action": "void", "_selected_action": [row.pk]}).content.decode()

    assert "Ann Lee (ann)" in shown
    assert "Now: rank 1 with 1:05.250. Then: not ranked." in shown
    assert clock.now() - row.at < timedelta(minutes=5)


@pytest.mark.parametrize(
    ("asked", "found"),
    [("ann", ["ann"]), ("Ann L", ["ann"]), ("ANN", ["ann", "ben"]), ("ben", ["ben"]), ("s-1", ["ben"])],
)
def test_submissions_are_found_by_an_id_or_the_beginning_of_a_name(admin: Client, asked: str, found: list[str]) -> None:
    board = make_board()
    send(board, ann=9)
    send(board, ben=5)
    for player, name in (("ann", "Ann Lee"), ("ben", "Ännika")):
        Player.objects.filter(external_id=player).update(name=name)
    Submission.objects.filter(player__external_id="ben").update(external_id="s-1", service=SERVICE)

    rows = admin.get(LIST, {"q": asked}).context["cl"].result_list

    assert sorted(row.player.external_id for row in rows) == found


def test_what_was_voided_is_named_and_the_log_is_near(admin: Client) -> None:
    send(make_board(unit="points"), ann=9)
    Player.objects.filter(external_id="ann").update(name="Ann Lee")
    sure = {"action": "void", "_selected_action": [Submission.objects.get().pk], "confirmed": "1", "reason": "a bot"}

    done = admin.post(LIST, sure, follow=True).content.decode()

    assert re.search(r'Voided: 1\. Ann Lee \(ann\), 9 points · <a href="/admin/foundation/auditentry/">', done)

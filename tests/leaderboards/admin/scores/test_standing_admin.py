"""Standings of a period are read by rank, and several are hidden at once: first what moves in each period, and why."""

import re

import pytest
from django.test import Client

from foundation import clock
from foundation.audit.models import AuditEntry
from leaderboards.admin.scores import standing_admin as standings
from leaderboards.admin.wording.periods import period_in_words
from leaderboards.models import Board, Period, Player, Restriction, Standing
from tests.leaderboards.admin.moderation.test_ban_pages import scored
from tests.leaderboards.admin.typed import act, make_board, page
from tests.leaderboards.services.restricting import HIDDEN_STANDING, keep_out
from tests.leaderboards.views.pages import WEEK, close_all_past
from tests.playing import score
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

LIST = "/admin/leaderboards/standing/"


@pytest.fixture
def board(db: None) -> Board:
    """Ann won last week, which is final, and leads this week too."""
    board = make_board(name="One", period="week")
    score(board.seq, {"ann": 9, "bob": 7}, clock.now() - WEEK)
    close_all_past(board.seq)
    scored(board, {"cleo": 5, "dan": 7, "ann": 9, "bob": 7})
    return board


def final() -> Period:
    return Period.objects.order_by("starts_at")[0]


def running() -> Period:
    return Period.objects.get(state="open", standings__isnull=False, standings__player__external_id="cleo")


def of(period: Period, **more: str) -> str:
    asked = "&".join(f"{name}={value}" for name, value in {"period__id__exact": period.pk, **more}.items())
    return f"{LIST}?{asked}"


def row(name: str, period: Period) -> Standing:
    return Standing.objects.get(player__external_id=name, period=period)


def shown(text: str) -> list[tuple[str, str]]:
    """Rank and player of each line."""
    found = re.findall(r'class="field-rank">(.*?)</td>.*?class="field-player[^"]*"><a[^>]*>(.*?)</a>', text, re.DOTALL)
    assert found
    return found


@pytest.mark.parametrize("order", ["desc", "asc"])
def test_a_period_is_read_by_rank_as_its_board_ranks_and_says_who_is_hidden(admin: Client, order: str) -> None:
    board = make_board(name="Two", period="week", order=order, ties="shared")
    scored(board, {"cleo": 5, "dan": 7, "ann": 9, "bob": 7})
    keep_out("hidden", board, "cleo" if order == "asc" else "ann")
    Player.objects.create(external_id="gone")
    Standing.objects.create(period=running(), player=Player.objects.get(external_id="gone"), member="gone", version=1)

    lines = shown(page(admin, of(running())))

    best_first = [("hidden", "ann"), ("1", "dan"), ("1", "bob"), ("3", "cleo")]
    if order == "asc":
        best_first = [("hidden", "cleo"), ("1", "bob"), ("1", "dan"), ("3", "ann")]
    assert {rank for rank, _ in lines[1:3]} == {"1"}
    assert [lines[0], lines[3]] == [best_first[0], best_first[3]]
    assert sorted(lines) == sorted(best_first)
    assert "gone" in page(admin, of(running(), q="gone"))


def test_the_period_leads_there_and_the_list_says_which_it_is(admin: Client, board: Board) -> None:
    assert of(final()) in page(admin, f"/admin/leaderboards/period/{final().pk}/change/")
    assert f"Standings: One ({period_in_words(final())})" in page(admin, of(final()))
    assert [rank for rank, _ in shown(page(admin, of(final())))] == ["1", "2"]


@pytest.mark.parametrize("number", ["x", "²", "-1", "9" * 5000])
def test_a_period_that_is_no_number_is_no_fault(admin: Client, board: Board, number: str) -> None:
    assert admin.get(f"{LIST}?period__id__exact={number}").status_code in (200, 302, 400)


def test_several_are_hidden_with_one_reason_after_a_look_at_each_period(admin: Client, board: Board) -> None:
    chosen = [row("ann", final()), row("ann", running()), row("bob", running())]

    look = act(admin, LIST, "hide", *chosen)
    missing = act(admin, LIST, "hide", *chosen, confirmed="1", reason=" ")
    assert not Restriction.objects.exists()
    done = act(admin, LIST, "hide", *chosen, confirmed="1", reason="A ring.")
    again = act(admin, LIST, "hide", *chosen, confirmed="1", reason="A ring.")

    assert f"One ({period_in_words(final())}): ann. 1 final period shows them no more" in look
    assert "1 first place moves, 2 ranks change." in look
    assert f"One ({period_in_words(running())}): ann, bob. On 1 running board they hold" in look
    assert "Give a reason of 1 to 300 characters." in missing
    assert "3 standings are hidden." in done
    assert "nothing was done" in again
    told = Restriction.objects.values_list("player__external_id", "period", "reason", "by__username")
    assert sorted(told) == sorted((each.player.external_id, each.period_id, "A ring.", "admin") for each in chosen)
    assert AuditEntry.objects.filter(act="player.standing_hidden", reason="A ring.").count() == 3
    assert ("hidden", "ann") in shown(page(admin, of(running())))


def test_those_that_are_hidden_already_are_left_out_and_too_many_are_refused(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_out(HIDDEN_STANDING, board, "ann")
    both = [row("ann", running()), row("bob", running())]

    act(admin, LIST, "hide", *both, confirmed="1", reason="A ring.")
    monkeypatch.setattr(standings, "MOST_HIDDEN", 1)
    refused = act(admin, LIST, "hide", row("cleo", running()), row("dan", running()), confirmed="1", reason="A ring.")

    assert sorted(Restriction.objects.values_list("player__external_id", "reason")) == [
        ("ann", "A test."),
        ("bob", "A ring."),
    ]
    assert "Choose up to 1 standings at once." in refused


def test_of_many_players_a_proof_is_asked_for_first(
    admin: Client, board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(standings, "MOST_WITHOUT_PROOF", 1)
    with clock.freeze_at(clock.now() + WEEK / 14):
        sent = {"action": "hide", "_selected_action": [row(name, running()).pk for name in ("ann", "bob")]}
        answer = admin.post(LIST, {**sent, "confirmed": "1", "reason": "A ring."})

    assert answer["Location"].startswith(("/accounts/confirm/", "/admin/login/"))
    assert not Restriction.objects.exists()


@pytest.mark.parametrize(("right", "is_offered"), [("view_player", False), ("change_player", True)])
def test_only_who_may_change_players_hides(board: Board, right: str, is_offered: bool) -> None:
    client = staff(right, "view_standing", "view_player")

    listed = page(client, of(running()))
    act(client, LIST, "hide", row("ann", running()), confirmed="1", reason="A ring.")

    assert ("Hide the selected standings" in listed) is is_offered
    assert Restriction.objects.exists() is is_offered

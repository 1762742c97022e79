"""The queue of quarantined entries: seen, filtered, and decided one by one or as a filter shows them, with a reason."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

import pytest
from django.test import Client

from foundation import clock
from leaderboards.admin.moderation import quarantine_admin as quarantine
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller
from leaderboards.models import Board, Player, QuarantinedEntry
from leaderboards.services.submit.pipeline import submit
from tests.leaderboards.admin.typed import ADD, act, change, make_board, page, settings, typed_from
from tests.leaderboards.services.site import points
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]

QUEUE = "/admin/leaderboards/quarantinedentry/"
WHY = {"confirmed": "1", "reason": "Seen on video."}


def send(board: Board, **wanted: int) -> None:
    rows = [{"board": board.seq, "player": name, "points": number} for name, number in wanted.items()]
    submit([read_entry(row, place) for place, row in enumerate(rows)], Caller("game"), clock.now())


def of(player: str) -> QuarantinedEntry:
    return QuarantinedEntry.objects.get(player__external_id=player)


def member_of(group: str) -> Client:
    return staff(name=group, groups=[group])


@pytest.fixture
def board(db: None) -> Board:
    """Ann has 9; bob's 101, cleo's 300 and dan's 250 wait, and eve's 1."""
    board = make_board(name="One", period="day", plausible_least=2, plausible_most=100)
    send(board, ann=9, bob=101, cleo=300, dan=250, eve=1)
    return board


def test_the_queue_shows_what_waits_the_oldest_first_and_leads_to_all_that_a_player_did(
    admin: Client, board: Board
) -> None:
    QuarantinedEntry.objects.filter(pk=of("eve").pk).update(created_at=clock.now() - timedelta(days=1))
    act(admin, QUEUE, "void", of("dan"), **WHY)

    shown = page(admin, QUEUE)

    assert shown.index(">eve<") < shown.index(">bob<") < shown.index(">cleo<")
    assert ">dan<" not in shown
    assert "101 / 100" in shown
    number = of("cleo").player_id
    first = shown.split("<tr>")[-1].split('<a href="')[1]
    assert first.startswith(f"{QUEUE}{of('cleo').pk}/change/")
    assert f'<a href="/admin/leaderboards/player/{number}/change/">cleo</a>' in shown
    for way in ("submission", "standing", "quarantinedentry"):
        assert f"/admin/leaderboards/{way}/?player__id__exact={number}" in shown
    assert f"{QUEUE}?player__id__exact={number}&amp;decided=all" in page(
        admin, f"/admin/leaderboards/player/{number}/change/"
    )


def test_the_search_has_a_visible_label_and_offers_to_drop_only_what_was_asked(admin: Client, board: Board) -> None:
    plain, asked = page(admin, QUEUE), page(admin, f"{QUEUE}?q=bob")

    assert '<label for="searchbar" class="search-label">Search</label>' in plain
    assert "Show all" not in plain + asked
    assert "Without search and filters" not in plain
    assert '1 result · <a href="?">Without search and filters</a>' in asked


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("rule__exact=plausible_least", ["eve"]),
        ("decided=voided", ["dan"]),
        ("decided=all", ["bob", "cleo", "dan", "eve"]),
        ("q=bob", ["bob"]),
        ("board__seq__exact={other}", []),
    ],
)
def test_the_queue_is_filtered(admin: Client, board: Board, asked: str, found: list[str]) -> None:
    act(admin, QUEUE, "void", of("dan"), **WHY)
    other = make_board(name="Two").seq

    rows = admin.get(f"{QUEUE}?{asked.format(other=other)}").context["cl"].result_list

    assert sorted(row.player.external_id for row in rows) == found


def test_accepting_is_asked_with_the_ranks_that_come_of_it_and_nothing_happens_without_a_reason(
    admin: Client, board: Board
) -> None:
    asked = act(admin, QUEUE, "accept", of("bob"), of("eve"))
    missing = act(admin, QUEUE, "accept", of("bob"), confirmed="1", reason=" ")

    assert "2 entries · 2 players" in asked
    assert "Now: not ranked. Then: rank 1 with 101 points." in asked
    assert "Now: not ranked. Then: rank 2 with 1 point." in asked
    assert "Give a reason of 1 to 300 characters." in missing
    assert not QuarantinedEntry.objects.exclude(decision="").exists()


def test_an_entrys_own_page_is_called_by_player_and_value_and_has_the_acts(admin: Client, board: Board) -> None:
    address = f"{QUEUE}{of('bob').pk}/change/"

    waiting = page(admin, address)
    act(admin, QUEUE, "accept", of("bob"), **WHY)
    decided = page(admin, address)

    assert "<h1>bob, 101 points</h1>" in waiting
    assert [f'name="action" value="{each}"' in waiting for each in ("accept", "void")] == [True, True]
    assert 'name="action"' not in decided
    assert 'name="action"' not in page(member_of("viewer"), f"{QUEUE}{of('dan').pk}/change/")


def test_what_is_selected_counts_and_what_is_refused_keeps_no_other(admin: Client, board: Board) -> None:
    Player.objects.filter(external_id="cleo").update(banned_at=clock.now())

    done = act(admin, QUEUE, "accept", of("bob"), of("cleo"), of("dan"), **WHY)

    assert "Accepted: 2." in done
    assert "Not done for cleo, 300 points: This player may not score" in done
    assert points(board, clock.now()) == {"ann": 9, "bob": 101, "dan": 250}
    assert (of("bob").decided_by.get_username(), of("cleo").decision) == ("admin", "")  # type: ignore[union-attr]  # a decided entry has somebody who decided


def test_all_that_a_filter_shows_is_decided_the_oldest_first_as_many_as_one_request_gets_through(
    admin: Client, board: Board
) -> None:
    filtered, across = f"{QUEUE}?rule__exact=plausible_most", {"select_across": "1"}

    with patch.object(quarantine, "MOST_AT_ONCE", 2):
        asked = act(admin, filtered, "void", of("bob"), **across)
        done = act(admin, filtered, "void", of("bob"), **across, **WHY)

    assert "The oldest 2 are done now; 1 more match and wait." in asked
    assert "Voided: 2." in done
    waiting = QuarantinedEntry.objects.filter(decision="").values_list("player__external_id", flat=True)
    assert sorted(waiting) == ["dan", "eve"]


@pytest.mark.parametrize(
    ("group", "sees", "judges"),
    [("viewer", 200, False), ("moderator", 200, True), ("judge", 200, True), ("operator", 200, False)],
)
def test_moderators_and_judges_decide_and_others_look(board: Board, group: str, sees: int, judges: bool) -> None:
    client = member_of(group)

    status = client.get(QUEUE).status_code
    act(client, QUEUE, "void", of("bob"), **WHY)

    assert (status, of("bob").decision == "voided") == (sees, judges)


def test_who_is_allowed_nothing_sees_nothing(stranger: Client, board: Board) -> None:
    assert stranger.get(QUEUE).status_code == 403
    assert stranger.get(f"{QUEUE}{of('bob').pk}/change/").status_code == 403


LIMITS: dict[str, Any] = {
    "plausible_least": "1",
    "plausible_most": "12.5",
    "submissions_per_minute": "10",
    "own_jump": "3",
    "own_jump_against": "median",
    "own_jump_last": "20",
}


def test_limits_are_typed_in_the_form_of_a_board_and_shown_plain(admin: Client) -> None:
    admin.post(ADD, settings(decimals=1, **LIMITS))

    board = Board.objects.get()
    shown = page(admin, change(board))
    assert (str(board.plausible_most), board.submissions_per_minute, board.own_jump_last) == ("12.500000", 10, 20)
    assert (board.points_per_minute, board.field_jump) == (None, None)
    assert 'name="plausible_most" value="12.5"' in shown
    assert "waits, unranked, until a moderator accepts or voids it." in shown


def test_limits_that_cannot_work_are_refused_at_their_field(admin: Client) -> None:
    board = make_board(name="One")

    crossed = admin.post(change(board), typed_from(board, plausible_least="5", plausible_most="4")).content.decode()
    of_criteria = admin.post(
        ADD, settings(own_jump="2", criteria='[{"name": "stage", "max": 9, "order": "desc"}]')
    ).content.decode()

    assert "lies above" in crossed
    assert "this board ranks by criteria: leave it empty." in of_criteria
    assert Board.objects.filter(plausible_least__isnull=False).count() == 0

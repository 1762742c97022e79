"""The list of competitions: what runs, comes and is over, and who may know of it."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due, reveal
from foundation import clock
from tests.competitions.factories import DAY, END, HOUR, MINUTE, START, DraftFactory
from tests.competitions.site import draft, joined, make_board, open_competition, raced, score
from tests.competitions.views.conftest import SetClock
from tests.leaderboards.views.pages import signed_in, text

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("links")]


def test_it_tells_what_runs_what_comes_and_what_is_over(client: Client) -> None:
    board = make_board()
    joined(open_competition(board, name="Now"), "ann", "bob")
    open_competition(board, name="Soon", starts_at=clock.now() + HOUR, ends_at=clock.now() + DAY)
    cancel(open_competition(board, name="Never"), "No players.", clock.now(), None)
    other = open_competition(make_board(name="Another"), name="Elsewhere")

    page, of_the_other = (text(client.get(f"/competitions/{rest}")) for rest in ("", f"?board={other.board_id}"))

    assert page.index("Running Now running") < page.index("Coming Soon coming") < page.index("Past Never cancelled")
    assert "2 participants Ends in 21 h" in page
    assert "Starts in 59 min" in page
    assert "Elsewhere" in of_the_other
    assert "Now" not in of_the_other
    assert f'href="/competitions/?board={board.seq}"' in client.get(f"/boards/{board.seq}/").content.decode()


def test_drafts_and_those_on_private_boards_are_left_out(client: Client) -> None:
    draft(name="Draft")
    open_competition(make_board(name="Hidden board", visibility="private"), name="Secret")

    page = text(client.get("/competitions/"))
    of_staff = text(signed_in(Client(), "boss", is_staff=True, is_superuser=True).get("/competitions/"))

    assert "There is no competition yet." in page
    assert "Secret running private" in of_staff
    assert "Draft" not in of_staff


@pytest.mark.parametrize("address", ["/search/", "/search/suggestions/"])
def test_search_finds_those_one_may_know_of_folded_the_better_match_first(client: Client, address: str) -> None:
    board, hidden = make_board(), make_board(name="Hidden board", visibility="private")
    for name in ("The Épée", "Épée cup"):
        open_competition(board, name=name)
    secret = open_competition(hidden, name="Épée secret")
    draft(name="Épée draft")
    joined(secret, "ann")

    page = text(client.get(address, {"q": "epe"}))
    of_ann = text(signed_in(Client(), "ann's", "ann").get(address, {"q": "epee s"}))

    assert page.index("Épée cup") < page.index("The Épée")
    assert "secret" not in page
    assert "draft" not in page
    assert "Épée secret" in of_ann


def test_the_past_has_pages_and_a_list_that_has_not_changed_is_304(client: Client) -> None:
    running = open_competition()
    for number in range(13):
        DraftFactory.create(board=running.board, name=f"Cup {number:02d}", published_at=START, cancelled_at=START)
    etag = {"If-None-Match": client.get("/competitions/?fragment=1")["ETag"]}

    first, second = (text(client.get(f"/competitions/{rest}")) for rest in ("", "?page=2"))
    same = client.get("/competitions/?fragment=1", headers=etag)
    joined(running, "ann")
    changed = client.get("/competitions/?fragment=1", headers=etag)

    assert "Page 1 of 2" in first
    assert ("Cup 12" in first, "Cup 00" in first) == (True, False)
    assert ("Cup 12" in second, "Cup 00" in second) == (False, True)
    assert (same.status_code, changed.status_code) == (304, 200)


def test_a_card_names_its_leader_and_how_many_share_the_lead(client: Client) -> None:
    board = make_board(ties="shared")
    raced(open_competition(board, name="Even"), {"ann": 9, "bob": 9, "cleo": 9, "dan": 1})
    joined(open_competition(board, name="Waiting"), "ann")
    raced(open_competition(make_board(name="Alone"), name="Led"), {"eve": 7, "ann": 2})

    page, home_page = (text(client.get(address)) for address in ("/competitions/", "/"))

    assert "Leader cleo and 2 more 9 points 4 participants" in page
    assert "Leader eve 7 points 2 participants" in page
    assert "Leader eve 7 points 2 participants" in home_page
    assert page.count("Leader") == 2


def test_behind_a_freeze_a_card_names_nobody_and_a_final_one_names_the_winner(
    client: Client, set_clock: SetClock
) -> None:
    frozen, final = open_competition(name="Frozen", freeze_minutes=60), open_competition(name="Over")
    raced(frozen, {"ann": 9, "bob": 5})
    raced(final, {"cleo": 4})
    freeze_due(END - HOUR)
    score(frozen, {"bob": 7654}, END - HOUR + MINUTE)
    set_clock(END - HOUR + MINUTE)
    hidden = text(client.get("/competitions/"))
    set_clock(END + HOUR)
    finish_due(END + HOUR)
    over = text(client.get("/competitions/"))
    reveal(frozen, END + HOUR, None)
    revealed = text(client.get("/competitions/"))

    assert "Leader not shown yet 2 participants" in hidden
    assert "7,654" not in hidden + over
    assert "Winner cleo 4 points" in over
    assert "Leader not shown yet" in over
    assert "Winner bob 7,654 points" in revealed


def test_who_takes_part_reads_so_and_others_do_not(client: Client, ann: Client, bob: Client) -> None:
    competition = open_competition(name="Cup")
    joined(competition, "ann")
    mine = competition.participants.get(player__external_id="ann")

    seen = [text(each.get(address)) for address in ("/competitions/", "/") for each in (ann, bob, client)]
    etag = ann.get("/competitions/?fragment=1")["ETag"]
    mine.left_at = clock.now()
    mine.save()

    assert ["running joined" in each for each in seen] == [True, False, False] * 2
    assert "joined" not in text(ann.get("/competitions/"))
    assert ann.get("/competitions/?fragment=1")["ETag"] != etag


def test_the_header_offers_an_inbox_to_players_and_costs_others_nothing(
    client: Client, ann: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert "Competitions" in text(client.get("/accounts/login/"))

    assert "Inbox" in text(ann.get("/account/"))
    assert "Inbox" not in text(signed_in(Client(), "bob").get("/account/"))

"""The list of competitions: what runs, comes and is over, and who may know of it."""

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from competitions.services.lifecycle.cancel import cancel
from foundation import clock
from tests.competitions.factories import DAY, HOUR, START, DraftFactory
from tests.competitions.site import draft, joined, make_board, open_competition
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


def test_the_header_offers_an_inbox_to_players_and_costs_others_nothing(
    client: Client, ann: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_num_queries(0):
        assert "Competitions" in text(client.get("/accounts/login/"))

    assert "Inbox" in text(ann.get("/account/"))
    assert "Inbox" not in text(signed_in(Client(), "bob").get("/account/"))

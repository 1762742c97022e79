"""The list of boards and the page of one: who may see what, and what they say."""

import re
from datetime import timedelta
from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client

from foundation import clock
from leaderboards.models import PeriodState
from leaderboards.selectors import board_by_seq
from leaderboards.services.boards import retire
from leaderboards.views.board_pages import shared_page
from leaderboards.views.http import micro_cache
from tests.leaderboards.services.contest import event_board, known_events, send, told
from tests.leaderboards.views.pages import WEEK, make_full_board, signed_in, text
from tests.playing import HARD_NAMES, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)

HOUR = timedelta(hours=1)
STAGES = {"name": "stage", "max": 32_000, "order": "desc"}
MEMBERS = {"name": "members", "max": 255, "order": "asc"}
DAMAGE = {"name": "damage_dealt", "max": 9_999_999, "order": "desc"}


def test_the_list_tells_of_each_board_that_is_not_over_and_of_private_ones_to_staff_alone(client: Client) -> None:
    none = text(client.get("/"))
    micro_cache.forget()
    score(make_board(name="Weekly wins"), {"robin": 5, "mina": 1200})
    name("mina", "Mina")
    make_board(name="Secret", visibility="private")
    retire(board_by_seq(make_board(name="Over", period="event")), clock.now())

    page, staff = text(client.get("/")), text(signed_in(Client(), "boss", is_staff=True, is_superuser=True).get("/"))

    assert "There is no board yet." in none
    assert re.search(r"Weekly wins This week · 2 players 1 Mina 1,200 points 2 robin 5 points Ends in \d", page)
    assert "Secret" not in page
    assert "Secret private" in staff
    assert "Over" not in page + staff


@pytest.mark.parametrize(
    ("settings", "scores", "said"),
    [
        (
            {"ties": "shared"},
            {"omar": 9, "mina": 7, "robin": 7, "aiko": 1},
            [
                "1 omar 9 = 2 robin highlighted 7 2 = 2 mina 7 2 4 aiko 1 6",
                "Rank = 2 . See the row 2 points behind omar 7 points of 4, ahead of",
                "2 share this rank Why 2?",
            ],
        ),
        ({"order": "asc", "unit": "milliseconds"}, {"mina": 61_250, "robin": 59_999}, ["1.251 s ahead of mina"]),
        (  # a column each, and the gap names the one that decides
            {"criteria": [STAGES, MEMBERS]},
            {"mina": {"stage": 1200, "members": 3}, "robin": {"stage": 1200, "members": 5}},
            ["Rank Player stage members", "1 mina 1,200 3", "2 members behind mina"],
        ),
        (  # one cell for criteria too wide for a phone
            {"criteria": [STAGES | {"max": 9_999_999}, DAMAGE]},
            {"robin": {"stage": 7, "damage_dealt": 1_500_000}},
            ["1 robin highlighted stage 7 · damage dealt 1,500,000"],
        ),
    ],
)
def test_a_viewer_sees_what_the_board_compares(
    client: Client, settings: dict[str, object], scores: dict[str, object], said: list[str]
) -> None:
    board = make_board(**settings)
    score(board, scores)

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert [each for each in said if each not in page] == []


def test_among_many_equals_the_next_rank_is_not_guessed(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {"leader": 9} | {f"p{number:03d}": 5 for number in range(100)})

    far = text(client.get(f"/boards/{board}/?player=p010"))
    near = text(client.get(f"/boards/{board}/?player=p090"))

    assert "100 share this rank" in far
    assert "behind" not in far.partition("100 share this rank")[0].partition("See the row")[2]
    assert "4 points behind leader" in near


def test_pages_follow_each_other_and_a_viewer_far_down_sees_their_neighbours(client: Client) -> None:
    board = make_full_board()

    first, last, past_the_end = (client.get(f"/boards/{board}/?page={page}") for page in (1, 3, 9))
    far_down = text(client.get(f"/boards/{board}/?player=p099"))

    assert "1–50 of 120 players" in text(first)
    assert "In the lead p000 1,000 points · 1 point ahead" in text(first)
    assert "In the lead p000" not in text(last)
    assert "101–120 of 120 players" in text(last)
    assert 'href="?page=2"' in last.content.decode()
    assert "Next" not in text(last)
    assert "Nobody stands on this page any more." in text(past_the_end)
    assert "Around this place Rank Player Points 97 p096 904" in far_down
    assert "100 p099 highlighted 901" in far_down


def test_previous_periods_are_offered_and_shown_and_final_ones_do_not_refresh(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    score(board, {"mina": 3}, clock.now() - WEEK)
    period = board_by_seq(board).periods.order_by("starts_at")[0]
    address = f"/boards/{board}/?period={period.label}"

    running = client.get(f"/boards/{board}/").content.decode()
    previous = text(client.get(address))
    period.state = PeriodState.FINAL
    period.save()
    shared_page.forget()
    micro_cache.forget()
    cache.clear()
    final = client.get(address)

    assert f'href="?period={period.label}"' in running
    assert "data-live" in running
    assert "1 mina 3" in previous
    assert "Ended" in previous
    assert "Ended, final soon mina" in previous
    assert "Won by" not in previous
    assert "robin" not in previous
    assert "Final standings" in text(final)
    assert "final soon" not in text(final)
    assert "data-live" not in final.content.decode()


def test_what_is_not_there_is_404_in_the_sites_own_style(client: Client) -> None:
    board = f"/boards/{make_board()}/"
    assert [ask(board).status_code for ask in (client.post, client.put, client.delete)] == [405, 405, 405]
    addresses = ["/boards/999/", "/boards/99999999999999999999/", "/boards/999/periods/", "/boards/999/card.png"]
    addresses += [f"{board}?period={label}" for label in ("2031-01", "nonsense")]
    addresses += [f"{board}?page={page}" for page in ("0", "-1", "x", "²", "9" * 30)]

    for address in addresses:
        response = client.get(address)

        assert response.status_code == 404, address
        assert "There is no such page" in text(response), address


def test_a_private_board_is_for_staff_and_an_event_board_has_no_periods_of_its_own(client: Client) -> None:
    private, event = make_board(name="Secret", visibility="private"), make_board(name="Cup", period="event")
    people = (
        client,
        signed_in(Client(), "robin", "robin"),
        signed_in(Client(), "boss", is_staff=True, is_superuser=True),
    )
    expected = {
        **{f"/boards/{private}/{part}": [404, 404, 200] for part in ("", "?fragment=1", "periods/")},
        f"/boards/{event}/": [200, 200, 200],
        **{each: [404] * 3 for each in (f"/boards/{private}/card.png", f"/boards/{event}/card.png")},
        f"/boards/{event}/periods/": [404] * 3,
    }

    assert {each: [who.get(each).status_code for who in people] for each in expected} == expected


def test_an_event_board_sends_people_to_its_competitions_and_no_label_opens_its_standings(client: Client) -> None:
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)
    with known_events(["robin"]) as declared:
        event = declared.add(event_board(), starts_at=clock.now() - HOUR, ends_at=clock.now() + HOUR)
        assert told(send({"player": "robin", "points": 5}, at=clock.now())) == ["updated"]
    board = f"/boards/{event.board.seq}/"

    answers = [
        each.get(f"{board}?period={label}") for each in (client, staff) for label in ("c7", "c7-frozen", "current")
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert "This board counts in competitions." in text(client.get(board))
    assert "c7" not in text(client.get(board))
    assert f'href="/competitions/?board={event.board.seq}"' in client.get("/boards/").content.decode()


def test_names_are_text(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    for hard in HARD_NAMES:
        name("robin", hard)
        shared_page.forget()  # what everybody sees may be a second old
        micro_cache.forget()

        for address in (f"/boards/{board}/?player=robin", "/players/robin/"):
            page = client.get(address).content.decode()
            assert "<script>alert" not in page
            assert hard.strip("\u202e\u202c") in unescape(page)
            assert "\u202e" not in page


def test_the_home_page_shows_the_best_places_of_the_viewer_first(client: Client) -> None:
    for place, title in enumerate(["Fifth", "Fourth", "Third", "Second", "First"]):
        board = make_board(name=title)
        score(board, {"zoe": 1, **{f"p{number}": 9 for number in range(4 - place)}})
    zoe = signed_in(client, "someone", "zoe")

    own = zoe.get("/").content.decode().partition('data-part="mine"')[2].partition("</section>")[0]

    places = re.findall(r'class="own-place-board"[^>]*><bdi class="clip">(\w+)</bdi>', own)
    assert places == ["First", "Second", "Third", "Fourth"]

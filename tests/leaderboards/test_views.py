"""The pages: who may see what, what they say, and what an answer costs."""

import re
from collections.abc import Sequence
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.test import Client
from django.utils import translation
from django.utils.translation.template import templatize
from pytest_django import DjangoAssertNumQueries

from foundation import clock, redis
from foundation.lua import Script
from leaderboards.models import LinkCode, Player
from leaderboards.selectors import board_by_seq
from leaderboards.services.boards import retire
from leaderboards.services.link import make_code
from tests.playing import HARD_NAMES, account, make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


def text(response: Any) -> str:
    """What people read, tags taken out and blanks joined."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


def signed_in(client: Client, username: str, player: str | None = None, **more: object) -> Client:
    client.force_login(account(username, player, **more))
    return client


# --- The list -------------------------------------------------------------------------------------


def test_the_list_tells_each_boards_leader_players_and_time_left(client: Client) -> None:
    board = make_board(name="Weekly wins")
    score(board, {"robin": 5, "mina": 1200})
    name("mina", "Mina")

    page = text(client.get("/"))

    assert re.search(r"Weekly wins This week · .+ Leader: Mina 1,200 points 2 players Ends in \d", page)


def test_the_list_leaves_out_private_and_retired_boards(client: Client) -> None:
    make_board(name="Secret", visibility="private")
    over = make_board(name="Over", period="event")
    retire(board_by_seq(over), clock.now())

    page = text(client.get("/"))

    assert "Secret" not in page
    assert "Over" not in page
    assert "There is no board yet." in page


def test_staff_see_private_boards_marked(client: Client) -> None:
    make_board(name="Secret", visibility="private")

    assert "Secret private" in text(signed_in(client, "boss", is_staff=True).get("/"))


# --- A board --------------------------------------------------------------------------------------


def test_equals_are_shown_as_equals(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {"omar": 9, "mina": 7, "robin": 7, "aiko": 1})

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "1 omar 9 = 2 robin highlighted 7 = 2 mina 7 4 aiko 1" in page
    assert "Rank = 2 of 4 Result 7 points To the next 2 points omar 2 share this rank" in page


def test_among_many_equals_the_next_rank_is_not_guessed(client: Client) -> None:
    board = make_board(ties="shared")
    score(board, {"leader": 9} | {f"p{number:03d}": 5 for number in range(100)})

    far = text(client.get(f"/boards/{board}/?player=p010"))
    near = text(client.get(f"/boards/{board}/?player=p090"))

    assert "To the next 100 share this rank" in far
    assert "To the next 4 points leader" in near


def test_the_first_sees_whom_he_is_ahead_of(client: Client) -> None:
    board = make_board(order="asc", unit="milliseconds")
    score(board, {"mina": 61_250, "robin": 59_999})

    assert "Ahead by 0:01.251 mina" in text(client.get(f"/boards/{board}/?player=robin"))


def test_criteria_stand_in_columns_and_the_gap_names_the_one_that_decides(client: Client) -> None:
    criteria = [{"name": "stage", "max": 32000, "order": "desc"}, {"name": "members", "max": 255, "order": "asc"}]
    board = make_board(criteria=criteria)
    score(board, {"mina": {"stage": 1200, "members": 3}, "robin": {"stage": 1200, "members": 5}})

    page = text(client.get(f"/boards/{board}/?player=robin"))

    assert "Rank Player stage members" in page
    assert "1 mina 1,200 3" in page
    assert "To the next members 2 mina" in page


def test_criteria_too_wide_for_a_phone_stand_in_one_cell(client: Client) -> None:
    criteria = [{"name": each, "max": 9_999_999, "order": "desc"} for each in ("stage", "damage_dealt")]
    board = make_board(criteria=criteria)
    score(board, {"robin": {"stage": 7, "damage_dealt": 1_500_000}})

    assert "1 robin stage 7 · damage dealt 1,500,000" in text(client.get(f"/boards/{board}/"))


def test_a_viewer_far_down_sees_his_neighbours(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})

    page = text(client.get(f"/boards/{board}/?player=p099"))

    assert "1–50 of 120 players" in page
    assert "Around this place Rank Player Points Since 97 p096 904" in page
    assert "100 p099 highlighted 901" in page


def test_pages_follow_each_other(client: Client) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})

    last = client.get(f"/boards/{board}/?page=3")
    past_the_end = client.get(f"/boards/{board}/?page=9")

    assert "101–120 of 120 players" in text(last)
    assert 'href="?page=2"' in last.content.decode()
    assert "Next" not in text(last)
    assert "Nobody stands on this page any more." in text(past_the_end)


def test_previous_periods_are_offered_and_shown(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    score(board, {"mina": 3}, clock.now() - timedelta(weeks=1))
    label = board_by_seq(board).periods.order_by("starts_at").values_list("label", flat=True)[0]

    running = client.get(f"/boards/{board}/").content.decode()
    previous = client.get(f"/boards/{board}/?period={label}")

    assert f'href="?period={label}"' in running
    assert "1 mina 3" in text(previous)
    assert "Ended" in text(previous)
    assert "robin" not in text(previous)


@pytest.mark.parametrize(
    "address",
    ["/boards/999/", "/boards/99999999999999999999/", "/boards/{}/?period=2031-01", "/boards/{}/?period=nonsense"]
    + [f"/boards/{{}}/?page={page}" for page in ("0", "-1", "x", "²", "9" * 30)],
)
def test_what_is_not_there_is_404_in_the_sites_own_style(client: Client, address: str) -> None:
    board = make_board()

    response = client.get(address.format(board))

    assert response.status_code == 404
    assert "There is no such page" in text(response)


def test_a_private_board_is_for_staff_and_unknown_to_others(client: Client) -> None:
    board = make_board(visibility="private")
    own = signed_in(Client(), "robin", "robin")
    staff = signed_in(Client(), "boss", is_staff=True)

    answers = [each.get(f"/boards/{board}/{query}") for each in (client, own, staff) for query in ("", "?fragment=1")]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 404, 200, 200]


def test_an_event_board_sends_people_to_its_competitions(client: Client) -> None:
    board = make_board(period="event")

    response = client.get(f"/boards/{board}/")

    assert response.status_code == 200
    assert "This board counts in competitions." in text(response)


def test_names_are_text(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    for hard in HARD_NAMES:
        name("robin", hard)

        page = client.get(f"/boards/{board}/?player=robin").content.decode()

        assert "<script>alert" not in page
        assert hard in unescape(page)


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_a_board_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)(f"/boards/{make_board()}/").status_code == 405


# --- Who looks ------------------------------------------------------------------------------------


def test_the_device_remembers_whom_the_address_named(client: Client) -> None:
    board = make_board()
    score(board, {"로빈": 5})

    first = client.get(f"/boards/{board}/", {"player": "로빈"})
    later = client.get(f"/boards/{board}/")
    client.get(f"/boards/{board}/?player=")
    forgotten = client.get(f"/boards/{board}/")

    assert first.cookies["player"]["httponly"]
    assert first.cookies["player"]["samesite"] == "Lax"
    assert "로빈 highlighted" in text(later)
    assert "highlighted" not in text(forgotten)


def test_a_tab_left_open_does_not_remember_what_was_forgotten(client: Client) -> None:
    board = make_board()

    assert "player" not in client.get(f"/boards/{board}/?player=robin&fragment=1").cookies


def test_an_impossible_id_is_refused_and_not_remembered(client: Client) -> None:
    board = make_board()

    response = client.get(f"/boards/{board}/", {"player": "a/b"})

    assert "No player can have this id." in text(response)
    assert "player" not in response.cookies


def test_a_broken_cookie_is_nobody(client: Client) -> None:
    client.cookies["player"] = "%ff%00"

    assert client.get(f"/boards/{make_board()}/").status_code == 200


def test_the_linked_player_comes_before_the_address(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5, "mina": 3})
    signed_in(client, "someone", "robin")

    response = client.get(f"/boards/{board}/?player=mina")

    assert "robin You 5" in text(response)
    assert "highlighted" not in text(response)
    assert "player" not in response.cookies


# --- Refreshing -----------------------------------------------------------------------------------


def test_a_fragment_that_has_not_changed_is_304(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    address = f"/boards/{board}/?fragment=1&player=robin"
    first = client.get(address)

    same = client.get(address, headers={"If-None-Match": first["ETag"]})
    score(board, {"robin": 6})
    changed = client.get(address, headers={"If-None-Match": first["ETag"]})

    assert first["ETag"].startswith('W/"')
    assert (same.status_code, same.content) == (304, b"")
    assert changed.status_code == 200
    assert changed["ETag"] != first["ETag"]
    assert "<html" not in changed.content.decode()
    assert "6 points" in text(changed)


def test_the_page_carries_the_etag_of_its_parts(client: Client) -> None:
    board = make_board()
    for address in ("/", f"/boards/{board}/"):
        page = client.get(address).content.decode()
        etag = unescape(re.findall('data-etag="([^"]+)"', page)[0])

        assert client.get(f"{address}?fragment=1", headers={"If-None-Match": etag}).status_code == 304


def test_viewers_and_languages_have_etags_of_their_own(client: Client) -> None:
    board = make_board()
    score(board, {"robin": 5})
    address = f"/boards/{board}/?fragment=1"

    etags = {
        client.get(address)["ETag"],
        client.get(address, headers={"Accept-Language": "ko"})["ETag"],
        client.get(f"{address}&player=robin")["ETag"],
        client.get(f"{address}&player=mina")["ETag"],
    }

    assert len(etags) == 4


def test_answers_are_kept_by_no_shared_cache(client: Client) -> None:
    response = client.get(f"/boards/{make_board()}/")

    assert response["Cache-Control"] == "private, no-cache"
    assert {"Cookie", "Accept-Language"} <= {each.strip() for each in response["Vary"].split(",")}


def test_without_redis_the_page_says_as_of_when_and_not_live(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    board = make_board(timezone="Asia/Seoul")
    score(board, {"robin": 5})

    def away() -> redis.Link:
        raise redis.RedisAway("Redis is away.")

    monkeypatch.setattr(redis, "boards", away)
    page = text(client.get(f"/boards/{board}/"))

    assert "1 robin 5" in page
    assert re.search(r"As of \d\d:\d\d:\d\d Asia/Seoul , not live", page)


def test_a_final_period_does_not_refresh(client: Client) -> None:
    board = make_board()
    score(board, {"mina": 3}, clock.now() - timedelta(weeks=1))
    period = board_by_seq(board).periods.order_by("starts_at")[0]
    period.state = "final"
    period.save()

    page = client.get(f"/boards/{board}/?period={period.label}")

    assert "data-live" not in page.content.decode()
    assert "Final standings" in text(page)


# --- Cost -----------------------------------------------------------------------------------------


def count_round_trips(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Filled from now on with each script that the boards' Redis is sent."""
    trips: list[object] = []
    link = redis.boards()
    run = link.run

    def counted(script: Script, keys: Sequence[str], args: Sequence[redis.Argument]) -> object:
        trips.append(script)
        return run(script, keys, args)

    monkeypatch.setattr(link, "run", counted)
    return trips


def test_a_page_costs_the_same_few_queries_however_full_it_is(
    client: Client, django_assert_max_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = make_board()
    score(board, {f"p{number:03d}": 1000 - number for number in range(120)})
    client.get(f"/boards/{board}/")
    trips = count_round_trips(monkeypatch)

    with django_assert_max_num_queries(6):
        client.get(f"/boards/{board}/?player=p099")

    assert len(trips) == 1


# --- Accounts -------------------------------------------------------------------------------------


def test_a_link_code_links_the_account_to_its_player(client: Client) -> None:
    signed_in(client, "someone")
    code, _ = make_code("robin", clock.now())

    response = client.post("/account/", {"code": f" {code[:4].lower()} {code[4:]} "}, follow=True)

    assert "Your player robin" in text(response)
    assert Player.objects.filter(external_id="robin", user__username="someone").exists()


def test_a_code_that_links_nobody_is_refused_beside_the_field(client: Client) -> None:
    signed_in(client, "someone")

    response = client.post("/account/", {"code": "ABCD2345"})

    assert "This code is not known, was used, or is older than ten minutes." in text(response)
    assert 'aria-describedby="code-error"' in response.content.decode()


def test_a_player_of_somebody_else_stays_his(client: Client) -> None:
    account("first", "robin")
    code, _ = make_code("robin", clock.now())

    response = signed_in(client, "second").post("/account/", {"code": code})

    assert "are linked already" in text(response)
    assert Player.objects.filter(external_id="robin", user__username="first").exists()
    assert LinkCode.objects.get().used_at is None


def test_the_account_page_asks_to_sign_in_and_leads_back(client: Client) -> None:
    response = client.get("/account/")

    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/account/")


def test_signing_in_and_out_happens_on_the_sites_own_pages(client: Client) -> None:
    account("robin")

    wrong = client.post("/accounts/login/", {"username": "robin", "password": "guess"})
    right = client.post("/accounts/login/?next=/account/", {"username": "robin", "password": "secret"}, follow=True)
    out = client.post("/accounts/logout/", follow=True)

    assert "Please enter a correct username and password" in text(wrong)
    assert "Signed in as robin" in text(right)
    assert "Sign in" in text(out)


def test_a_form_without_its_token_is_refused_in_the_sites_own_style() -> None:
    strict = Client(enforce_csrf_checks=True)

    response = strict.post("/accounts/login/", {"username": "robin", "password": "secret"})

    assert response.status_code == 403
    assert "This form is too old" in text(response)


# --- Errors and languages -------------------------------------------------------------------------


def test_the_page_of_a_failure_needs_no_database(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(0):
        assert "Something went wrong" in render_to_string("500.html")


def test_every_sentence_of_the_pages_is_translated_into_korean() -> None:
    templates = Path(settings.BASE_DIR) / "templates"
    pages = [page for page in templates.rglob("*.html") if "admin" not in page.parts]
    sources = [templatize(page.read_text()) for page in pages]
    wanted = {match[2] for source in sources for match in re.finditer(r"\bgettext\(u?(['\"])(.*?)\1\)", source)}

    with translation.override("ko"):
        left = {each for each in wanted if translation.gettext(each) == each}

    assert len(wanted) > 40
    assert left == set()

"""A board's page of some players: ranks of the whole board, places among each other, never shared, never unbounded."""

import re

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from foundation import clock
from leaderboards.models import Player, RestrictionKind, Storage
from leaderboards.selectors import CURRENT, board_by_seq
from leaderboards.selectors.rankings import filtered, store_routing
from leaderboards.selectors.rankings.filtered import page_of_players, places_among
from leaderboards.services.moderation.restrict import RestrictionScope, restrict
from leaderboards.services.players.follow import follow
from leaderboards.services.players.profiles import set_profile
from tests.leaderboards.services.site import redis_away
from tests.leaderboards.views.pages import WEEK, close_all_past, count_round_trips, make_full_board, signed_in, text
from tests.playing import make_board, score

pytestmark = pytest.mark.django_db(transaction=True)

KOREANS = ("p004", "p050", "p119")


@pytest.fixture(params=[Storage.HYBRID, Storage.SQL])
def board(request: pytest.FixtureRequest) -> int:
    board = make_full_board(storage=request.param)
    for player in KOREANS:
        set_profile(player, {"country": "KR"}, clock.now())
    return board


@pytest.fixture
def robin(board: int) -> Client:
    """Is p050, and follows two who are ranked and one who is not."""
    client = signed_in(Client(), "robin", "p050")
    score(make_board(name="Another"), {"elsewhere": 1})
    for player in ("p099", "p001", "elsewhere"):
        follow(User.objects.get(username="robin"), player, clock.now())
    return client


def rows(page: str) -> list[tuple[str, str, str]]:
    """Place among those shown, rank and player of each row of the table."""
    body = page.partition('data-part="top"')[2].partition("<tbody>")[2].partition("</tbody>")[0]
    found = re.findall(r"<td class=within>(.*?)<td class=rank>(.*?)<(?:td|th).*?/players/(\w+)/", body, re.DOTALL)
    return [(within, re.sub(r"<[^>]+>", "", rank), player) for within, rank, player in found]


def test_whom_one_follows_stand_with_their_ranks_and_oneself_among_them(board: int, robin: Client) -> None:
    page = robin.get(f"/boards/{board}/?of=following").content.decode()

    assert rows(page) == [("1", "2", "p001"), ("2", "51", "p050"), ("3", "100", "p099")]
    assert "Following: 3 of 120 players" in page
    assert 'class="is-me"' in page
    assert "p000" in page.partition('class="board-lead"')[2].partition("</p>")[0], "the board's leader stays"
    assert re.search(r'href="\?of=following"[^>]*aria-current="true"', page)


def test_a_country_stands_with_its_ranks_and_anybody_may_look(board: int, robin: Client, client: Client) -> None:
    own = robin.get(f"/boards/{board}/").content.decode()
    pages = [each.get(f"/boards/{board}/?of=KR").content.decode() for each in (robin, client)]

    assert 'href="?of=KR"' in own
    assert "South Korea: 3 of 120 players" in pages[0]
    assert [rows(page) for page in pages] == [[("1", "5", "p004"), ("2", "51", "p050"), ("3", "120", "p119")]] * 2
    assert [page.count('class="is-me"') for page in pages] == [1, 0]


def test_of_a_large_country_the_first_rows_are_searched_and_the_page_says_so(
    board: int, robin: Client, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filtered, "MOST_NAMED", 2)
    monkeypatch.setattr(filtered, "SEARCHED", 60)

    page = client.get(f"/boards/{board}/?of=KR").content.decode()

    assert "South Korea, among the first 60: 2 of 120 players" in page
    assert [player for *_, player in rows(page)] == ["p004", "p050"]

    monkeypatch.setattr(filtered, "SEARCHED", 3)
    few = [make_full_board(5, name=name) for name in ("First", "Second")]
    among_three = text(client.get(f"/boards/{few[0]}/?of=KR"))
    monkeypatch.setattr(filtered, "SEARCHED", 1000)

    assert "Nobody of this country is among the first 3." in among_three
    assert "South Korea: 1 of 5 players" in text(client.get(f"/boards/{few[1]}/?of=KR")), "all were looked at"


def test_ties_of_the_board_share_a_place(robin: Client) -> None:
    board = make_board(name="Ties", ties="shared")
    score(board, {"best": 9, "p001": 5, "p050": 5, "p099": 3, "other": 3})

    page = robin.get(f"/boards/{board}/?of=following").content.decode()

    assert rows(page) == [("1", "=2", "p050"), ("1", "=2", "p001"), ("3", "=4", "p099")]


def test_who_is_hidden_stands_under_no_filter(board: int, robin: Client) -> None:
    ids = list(Player.objects.filter(external_id__in=("p001", "p004")).values_list("pk", flat=True))
    restrict(ids, RestrictionScope(RestrictionKind.SHADOWED), "Why.", clock.now(), None)

    pages = [robin.get(f"/boards/{board}/?of={of}").content.decode() for of in ("following", "KR")]

    assert [[player for *_, player in rows(page)] for page in pages] == [["p050", "p099"], ["p050", "p119"]]
    assert [rank for _, rank, _ in rows(pages[0])] == ["49", "98"]


def test_a_shadowed_viewer_sees_themselves_and_nobody_else_does(board: int, robin: Client, client: Client) -> None:
    own = Player.objects.get(external_id="p050")
    restrict([own.pk], RestrictionScope(RestrictionKind.SHADOWED), "Why.", clock.now(), None)

    seen = [robin.get(f"/boards/{board}/?of={of}").content.decode() for of in ("following", "KR")]
    public = client.get(f"/boards/{board}/?of=KR").content.decode()

    assert ["p050" in [player for *_, player in rows(page)] for page in seen] == [True, True]
    assert "p050" not in public


def test_nothing_of_it_reaches_another(board: int, robin: Client, client: Client) -> None:
    before = client.get(f"/boards/{board}/").content
    other = signed_in(Client(), "other", "p003")
    robin.get(f"/boards/{board}/?of=following")

    pages = [each.get(f"/boards/{board}/?of=following").content.decode() for each in (other, client)]

    assert "You follow nobody yet." in pages[0]
    assert rows(pages[0]) == [("1", "4", "p003")]
    assert "Sign in to see whom you follow." in pages[1]
    assert f"/accounts/login/?next=/boards/{board}/%3Fof%3Dfollowing" in pages[1]
    assert rows(pages[1]) == []
    assert b"?of=" not in before
    assert b"?of=" not in client.get(f"/boards/{board}/").content


def test_the_live_parts_keep_the_filter_and_a_page_that_has_not_changed_is_not_sent(board: int, robin: Client) -> None:
    address = f"/boards/{board}/?of=following&fragment=1"
    first = robin.get(address)

    same = robin.get(address, headers={"If-None-Match": first["ETag"]})
    score(board, {"p099": 5000})
    moved = robin.get(address, headers={"If-None-Match": first["ETag"]})

    assert same.status_code == 304
    assert rows(moved.content.decode())[0] == ("1", "1", "p099")


def test_links_to_other_pages_and_periods_keep_it(board: int, robin: Client) -> None:
    score(board, {"p001": 7, "p002": 9}, clock.now() - WEEK)
    close_all_past(board)

    now = robin.get(f"/boards/{board}/?of=following").content.decode()
    before = re.search(r'class="step is-prev" rel="prev" href="([^"]+)"', now)
    assert before
    past = robin.get(f"/boards/{board}/{before[1].replace('&amp;', '&')}").content.decode()

    assert rows(past) == [("1", "2", "p001")]


def test_many_are_shown_by_pages(board: int, robin: Client) -> None:
    user = User.objects.get(username="robin")
    for number in {*range(61)} - {50}:
        follow(user, f"p{number:03d}", clock.now())

    second = robin.get(f"/boards/{board}/?of=following&page=2").content.decode()

    assert rows(second)[0] == ("51", "51", "p050")
    assert "Following: 62 of 120 players" in second
    assert 'rel="prev" href="?page=1&amp;of=following"' in second
    assert "Nobody stands on this page any more." in text(robin.get(f"/boards/{board}/?of=following&page=9"))


@pytest.mark.parametrize("of", ["friends", "kr", "QQ", "K", "KRW", "..", "\0"])
def test_a_filter_that_there_is_not_is_refused(board: int, client: Client, of: str) -> None:
    assert client.get(f"/boards/{board}/", {"of": of}).status_code == 404


def test_all_whom_one_follows_are_asked_for_in_one_trip_with_the_viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    board = board_by_seq(make_full_board())
    page_of_players(board, CURRENT, ["p000"], "p050")  # what is kept of board and period is read
    trips = count_round_trips(monkeypatch)

    found = page_of_players(board, CURRENT, [f"p{number:03d}" for number in range(119, 0, -2)], "p050")

    assert len(trips) == 1
    assert [row.rank for row in found.page.standings.rows] == list(range(2, 121, 2))
    assert found.page.me is not None
    assert found.page.me.rank == 51
    assert [row.rank for row in found.page.neighbours] == list(range(48, 55))


def test_ranks_that_sql_has_no_time_to_count_are_left_out_and_the_order_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("only PostgreSQL ends a statement in time")
    board = board_by_seq(make_full_board(storage=Storage.SQL))
    monkeypatch.setattr(store_routing, "LIST_PATIENCE_MS", 0)

    rows = page_of_players(board, CURRENT, ["p099", "p001", "p050"], "p050").page.standings.rows

    assert [(row.player, row.rank) for row in rows] == [("p001", None), ("p050", None), ("p099", None)]
    assert places_among(rows) == {"p001": 1, "p050": 2, "p099": 3}


def test_while_redis_is_away_sql_answers(robin: Client, board: int) -> None:
    with redis_away():
        page = robin.get(f"/boards/{board}/?of=following").content.decode()

    assert [player for *_, player in rows(page)] == ["p001", "p050", "p099"]
    assert "Following: 3 of 120 players" in page

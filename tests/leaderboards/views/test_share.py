"""Sharing a board: what the menu offers, and pictures of one row, which show what the page shows and no more."""

import threading
from html import unescape

import pytest
from django.conf import LazySettings
from django.test import Client

from foundation import clock
from leaderboards.drawing import OwnPicture
from leaderboards.models import Board, Period
from leaderboards.services.periods.rank_history import record_rank_history
from leaderboards.services.players.erase import erase_player
from leaderboards.views.components import pictures
from leaderboards.views.http import micro_cache
from tests.leaderboards.services.restricting import keep_out
from tests.leaderboards.views.pages import WEEK, close_all_past, signed_in, text
from tests.playing import make_board, name, score

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[pictures.Picture]:
    """What was drawn since, as text; the file is a small one."""
    made: list[pictures.Picture] = []

    def note(picture: pictures.Picture) -> bytes:
        made.append(picture)
        return b"\x89PNG" + repr(picture).encode()

    monkeypatch.setattr(pictures, "draw_own", note)
    monkeypatch.setattr(pictures, "draw_card", note)
    return made


@pytest.fixture
def board() -> int:
    """Mina before robin, on a board whose ranks may be shared."""
    made = make_board(name="Weekly <wins>", ties="shared")
    score(made, {"mina": 1200, "robin": 240, "zoe": 240})
    name("robin", "Robin & co")
    return made


def test_the_menu_has_the_link_the_picture_and_the_ways_of_ones_own_row(client: Client, board: int) -> None:
    page = client.get(f"/boards/{board}/share/?player=robin")
    html = unescape(page.content.decode())

    assert f'value="http://testserver/boards/{board}/?player=robin"' in html
    assert f'src="/boards/{board}/card.png?player=robin"' in html
    assert 'alt="Robin & co, rank =2 of 3 with 240 points"' in html
    for address in (f"/boards/{board}/?screen=1", f"/boards/{board}/calendar.ics"):
        assert f'href="{address}"' in html
    assert "iframe" not in html  # no site may frame it
    assert page["Cache-Control"] == "private, no-cache"


def test_another_players_row_is_shared_also_by_who_has_a_row_of_their_own(client: Client, board: int) -> None:
    signed_in(client, "robin", "robin")

    html = unescape(client.get(f"/boards/{board}/share/?row=mina").content.decode())

    assert f'value="http://testserver/boards/{board}/?player=mina"' in html
    assert "Link to the row of mina" in html
    assert "/?player=robin" not in html


def test_without_a_player_it_is_of_the_board_and_a_period_goes_along(client: Client, board: int) -> None:
    label = "2026-01"
    Board.objects.filter(seq=board).update(period="month")
    assert client.get(f"/boards/{board}/share/?period=2999-01").status_code == 404
    score(board, {"robin": 5}, clock.now().replace(year=2026, month=1, day=5))

    html = unescape(client.get(f"/boards/{board}/share/?period={label}&menu=1").content.decode())

    assert "<html" not in html
    assert f"/boards/{board}/?period={label}" in html
    assert f'src="/boards/{board}/card.png?period={label}"' in html
    assert "find yourself first" in html


def test_a_frame_is_offered_where_sites_may_frame_it_and_its_html_can_be_copied(
    client: Client, board: int, settings: LazySettings
) -> None:
    settings.EMBED_SITES = ["https://game.example", "https://club.example"]

    html = client.get(f"/boards/{board}/share/").content.decode()
    shown = unescape(html.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0])

    assert shown == (
        f'<iframe src="http://testserver/boards/{board}/?embed=1" title="Weekly &lt;wins&gt;" '
        'width="100%" height="640" loading="lazy"></iframe>'
    )
    assert "https://game.example, https://club.example" in html


def test_what_is_private_is_shared_as_a_link_alone_and_boards_of_events_not_at_all(client: Client) -> None:
    private, event = make_board(name="Secret", visibility="private"), make_board(name="Cup", period="event")
    staff = signed_in(Client(), "boss", is_staff=True, is_superuser=True)

    shown = staff.get(f"/boards/{private}/share/").content.decode()

    assert "opens it only for those who may see it" in shown
    assert "card.png" not in shown
    assert "iframe" not in shown
    addresses = [f"/boards/{private}/{each}" for each in ("share/", "calendar.ics", "card.png?player=robin")]
    addresses += [f"/boards/{event}/{each}" for each in ("share/", "calendar.ics", "card.png?player=robin")]
    assert {client.get(each).status_code for each in addresses} == {404}
    assert [staff.get(each).status_code for each in addresses] == [200, 200, 404, 404, 404, 404]


def test_a_picture_has_what_the_page_has(client: Client, board: int, drawn: list[pictures.Picture]) -> None:
    answer = client.get(f"/boards/{board}/card.png?player=robin")
    korean = client.get(f"/boards/{board}/card.png?player=robin&lang=ko")
    strange = client.get(f"/boards/{board}/card.png?player=robin&lang=xx")

    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"] == "public, max-age=60"
    assert strange.content == answer.content != korean.content
    own = drawn[0]
    assert isinstance(own, OwnPicture)
    assert (own.name, own.rank, own.total, own.result) == ("Robin & co", "=2", "of 3", "240 points")
    assert (own.title, own.player, own.move) == ("Weekly <wins>", "robin", "")
    assert own.footer.startswith("As of ")


def test_a_final_period_says_so_and_movement_is_told_against_the_period_before(
    client: Client, drawn: list[pictures.Picture]
) -> None:
    board = make_board()
    score(board, {"robin": 9, "mina": 5}, clock.now() - WEEK)
    close_all_past(board)
    score(board, {"robin": 1, "mina": 2})

    before = Period.objects.filter(board=board).earliest("starts_at").label
    for query in ("player=robin", "player=mina", f"player=robin&period={before}"):
        assert client.get(f"/boards/{board}/card.png?{query}").status_code == 200

    shown = [each for each in drawn if isinstance(each, OwnPicture)]
    assert [(each.move, each.direction) for each in shown[:2]] == [
        ("1 behind last time", "down"),
        ("1 better than last time", "up"),
    ]
    assert shown[2].footer == "Final standings"


@pytest.mark.parametrize("how", ["hidden", "shadowed", "banned", "banned everywhere"])
def test_who_is_not_shown_has_no_picture_and_the_shadowed_do_not_notice(client: Client, board: int, how: str) -> None:
    keep_out(how, Board.objects.get(seq=board), "robin")
    address = f"/boards/{board}/card.png?player=robin"

    own = signed_in(Client(), "robin", "robin").get(address)

    assert client.get(address).status_code == 404
    assert own.status_code == (200 if how == "shadowed" else 404)
    if how == "shadowed":
        assert own["Cache-Control"] == "private, no-cache"
    assert "robin" not in client.get(f"/boards/{board}/?player=robin").content.decode().partition("<title")[0]


def test_nobody_who_is_unknown_not_ranked_or_erased_has_a_picture(client: Client, board: int) -> None:
    address = f"/boards/{board}/card.png?player=robin"
    assert client.get(address).status_code == 200

    erase_player("robin", clock.now())

    assert client.get(address).status_code == 404
    for player in ("nobody", "x" * 65, "\u0000"):
        assert client.get(f"/boards/{board}/card.png", {"player": player}).status_code == 404


def test_what_is_the_same_is_drawn_once_and_the_browsers_copy_is_known(
    client: Client, board: int, drawn: list[pictures.Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = clock.now().replace(second=0, microsecond=0)
    monkeypatch.setattr(clock, "now", lambda: now)
    address = f"/boards/{board}/card.png?player=robin"

    first, again = client.get(address), client.get(address)
    known = client.get(address, headers={"If-None-Match": first["ETag"]})
    score(board, {"robin": 5000})
    other = client.get(address)

    assert (again.content, known.status_code, len(drawn)) == (first.content, 304, 2)
    assert other["ETag"] != first["ETag"]


def test_drawings_are_few_at_once_and_each_counts_as_many_requests(
    client: Client, board: int, drawn: list[pictures.Picture], monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    monkeypatch.setattr(pictures, "throttle", lambda _rule, _who, requests: counted.append(requests))
    monkeypatch.setattr(pictures, "WAITS_SECONDS", 0.01)
    slots = threading.BoundedSemaphore(1)
    monkeypatch.setattr(pictures, "_slots", slots)
    address = f"/boards/{board}/card.png?player=robin"

    with slots:
        busy = client.get(address)
    drawing = client.get(address)

    assert (busy.status_code, "Retry-After" in busy, drawing.status_code) == (503, True, 200)
    assert counted == [pictures.DRAWING_COUNTS_AS] * 2
    assert len(drawn) == 1


def test_a_link_that_names_a_player_is_shown_by_other_sites_with_their_row(
    client: Client, board: int, settings: LazySettings
) -> None:
    settings.SITE_URL = "https://boards.example/"

    plain = unescape(client.get(f"/boards/{board}/").content.decode())
    micro_cache.forget()
    own = unescape(client.get(f"/boards/{board}/?player=robin").content.decode())
    remembered = unescape(client.get(f"/boards/{board}/").content.decode())
    korean = client.get(f"/boards/{board}/?player=robin", headers={"Accept-Language": "ko"}).content.decode()
    unranked = unescape(Client().get(f"/boards/{board}/?player=nobody").content.decode())

    assert f'content="https://boards.example/boards/{board}/card.png"' in plain
    assert f'content="https://boards.example/boards/{board}/card.png?player=robin"' in own
    assert 'property="og:title" content="Robin & co: rank =2 · Weekly <wins>"' in own
    assert f'content="https://boards.example/boards/{board}/card.png"' in remembered
    assert "card.png?player=robin&amp;lang=ko" in korean
    assert f'content="https://boards.example/boards/{board}/card.png"' in unranked


def test_a_boards_calendar_has_the_ends_of_its_periods_and_keeps_their_ids(client: Client) -> None:
    board, endless = make_board(name="Weekly wins"), make_board(name="All time", period="all_time")

    file = client.get(f"/boards/{board}/calendar.ics")
    again = client.get(f"/boards/{board}/calendar.ics")

    assert file["Content-Type"] == "text/calendar; charset=utf-8"
    assert f'filename="board-{board}.ics"' in file["Content-Disposition"]
    lines = file.content.decode().split("\r\n")
    ids = [each for each in lines if each.startswith("UID:")]
    assert len(set(ids)) == 6
    assert all(each.startswith(f"UID:board-{board}-") for each in ids)
    assert lines.count("SUMMARY:Weekly wins: the period ends") == 6
    assert again.content == file.content
    assert client.get(f"/boards/{endless}/calendar.ics").status_code == 404
    assert "Add to calendar" not in text(client.get(f"/boards/{endless}/share/"))


def test_movement_on_a_picture_says_the_zone_of_its_time(client: Client, drawn: list[pictures.Picture]) -> None:
    board = make_board(update="increment", period="all_time", timezone="Asia/Seoul")
    score(board, {"mina": 20, "robin": 10})
    at = clock.now().replace(minute=0, second=0, microsecond=0)
    assert record_rank_history(Period.objects.select_related("board").get(board=board), at, at)
    score(board, {"robin": 50})

    assert client.get(f"/boards/{board}/card.png?player=robin").status_code == 200

    shown = [each.move for each in drawn if isinstance(each, OwnPicture)]
    assert shown[0].startswith("Up 1 since ")
    assert shown[0].endswith(" (Asia/Seoul)")


def test_pictures_have_the_hue_that_the_board_chose(client: Client, board: int, drawn: list[pictures.Picture]) -> None:
    Board.objects.filter(seq=board).update(hue="teal")

    for address in ("card.png", "card.png?player=robin"):
        assert client.get(f"/boards/{board}/{address}").status_code == 200

    assert {each.hue for each in drawn} == {"teal"}

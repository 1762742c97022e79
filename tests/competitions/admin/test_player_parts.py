"""Above the form of a player: places, submissions, rewards, comments, restrictions and acts, each with its way."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from competitions.models import Comment
from foundation import clock
from leaderboards.models import Player, Submission
from leaderboards.services.moderation.void import void_by_hand
from tests.competitions.site import make_board as make_event_board
from tests.competitions.site import open_competition
from tests.leaderboards.admin.moderation.test_quarantine_admin import send
from tests.leaderboards.admin.typed import make_board
from tests.leaderboards.services.restricting import keep_out
from tests.staff import staff

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("links")]


def parts(client: Client, name: str = "ann") -> dict[str, str]:
    """The text of each part by its title."""
    player = Player.objects.get(external_id=name)
    html = unescape(client.get(f"/admin/leaderboards/player/{player.pk}/change/").content.decode())
    found = re.findall(r'<section aria-labelledby="part-\d+">(.*?)</section>', html, re.DOTALL)
    texts = [" ".join(re.sub(r"<[^>]+>", " ", part).split()) for part in found]
    titles = [re.findall(r'<h2 id="part-\d+"><a href="[^"]+">([^<]+)', part)[0] for part in found]
    return dict(zip(titles, texts, strict=True))


def test_all_of_a_player_stands_above_the_form(admin: Client) -> None:
    board = make_board(name="Weekly", unit="milliseconds", order="asc")
    send(board, ann=65250, bob=60000)
    ann = Player.objects.get(external_id="ann")
    void_by_hand(Submission.objects.get(player__external_id="bob"), "A cheat.", clock.now(), None)
    cup = open_competition(make_event_board(), name="Cup")
    Comment.objects.create(competition=cup, player=ann, text="Well run!", form="x", created_at=clock.now())

    shown, of_bob = parts(admin), parts(admin, "bob")

    assert list(shown) == [
        "Places now", "Latest submissions", "Rewards", "Comments", "Restrictions", "Latest acts",
    ]  # fmt: skip  # as a table
    assert "Weekly" in shown["Places now"]
    assert "rank 1 with 1:05.250" in shown["Places now"]
    assert "Weekly: 1:05.250" in shown["Latest submissions"]
    assert "Well run! Cup" in shown["Comments"]
    assert shown["Rewards"] == "Rewards none"
    assert "void" in of_bob["Latest submissions"]
    assert "score voided" in of_bob["Latest acts"]
    assert "A cheat." in of_bob["Latest acts"]


def test_the_hidden_have_no_place_and_say_why(admin: Client) -> None:
    board = make_board(name="Weekly")
    send(board, ann=5)
    keep_out("hidden", board, "ann")

    shown = parts(admin)

    assert "not shown" in shown["Places now"]
    assert "Weekly" in shown["Restrictions"]


def test_parts_are_for_those_who_may_see_their_rows() -> None:
    send(make_board(), ann=5)

    assert list(parts(staff("view_player", "view_standing"))) == ["Places now"]


def test_statements_do_not_grow_with_what_a_player_has(admin: Client) -> None:
    for nth in range(6):
        send(make_board(name=f"B{nth}", update="increment"), ann=nth)
    address = f"/admin/leaderboards/player/{Player.objects.get(external_id='ann').pk}/change/"
    admin.get(address)
    with CaptureQueriesContext(connection) as few:
        admin.get(address)
    for nth in range(6, 12):
        send(make_board(name=f"B{nth}", update="increment"), ann=nth)
    with CaptureQueriesContext(connection) as many:
        html = admin.get(address).content.decode()

    assert len(many) <= len(few)
    assert len(re.findall(r"/admin/leaderboards/standing/\d+/change/", html)) == 5

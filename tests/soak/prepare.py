"""What the load needs, made in a child that has Django (tests/faults/processes.py): boards, a competition whose players
have three attempts, comments to like, players to ban, a service key, and a browser in which a superuser is signed in.
"""

from typing import Any

from django.contrib.auth.models import User
from django.test import Client

from foundation.security import service_keys
from leaderboards.models import Board
from tests.competitions.factories import CommentFactory, CompetitionFactory, EventBoardFactory, ParticipantFactory
from tests.leaderboards.factories import PlayerFactory

ATTEMPTS = 3
COMMENTS = 20
BANNABLE = 10
TOKEN = "a" * 32
# Ids are unique by the name of the key: the check sends in this name, if need be (tests/faults/load.py).
KEY_NAME = "faults"
SCOPES = ("scores:write", "players:write", "likes:write", "boards:read")


def prepare() -> dict[str, Any]:
    """Numbers of what was made, the key and the cookies."""
    board = EventBoardFactory.create(name="The cup's board", storage="hybrid", update="increment")
    cup = CompetitionFactory.create(board=board, name="The soaked cup", attempts=ATTEMPTS)
    author = ParticipantFactory.create(competition=cup).player
    comments = [CommentFactory.create(competition=cup, player=author).pk for _ in range(COMMENTS)]
    bannable = [PlayerFactory.create(external_id=f"bannable-{nth}").pk for nth in range(BANNABLE)]
    browser = Client()
    browser.force_login(User.objects.create_superuser("admin", password="only-for-tests-0"))
    cookies = {name: each.value for name, each in browser.cookies.items()} | {"csrftoken": TOKEN}
    return {
        "key": service_keys.make(KEY_NAME, SCOPES)[1],
        "competition": cup.pk,
        "its_board": board.seq,
        "comments": comments,
        "bannable": bannable,
        "cookie": "; ".join(f"{name}={value}" for name, value in cookies.items()),
    }


def banned() -> list[int]:
    """Which of the players to ban are banned now."""
    from leaderboards.models import Player

    found = Player.objects.filter(external_id__startswith="bannable-", banned_at__isnull=False)
    return sorted(found.values_list("pk", flat=True))


def likes() -> dict[str, list[str]]:
    """Who likes each comment, by its rows; a count that differs from them is an error."""
    from likes.models import Like, LikeCount

    rows: dict[str, list[str]] = {}
    found = Like.objects.filter(kind="comment", amount__gt=0).values_list("thing", "player__external_id")
    for thing, player in found.order_by("thing", "player__external_id"):
        rows.setdefault(thing, []).append(player)
    counts = {each.thing: each.count for each in LikeCount.objects.filter(kind="comment", count__gt=0)}
    assert counts == {thing: len(players) for thing, players in rows.items()}, "counts are not those of the rows"
    return rows


def attempts() -> dict[str, int]:
    """How many submissions each player of the competition has."""
    from django.db.models import Count

    from leaderboards.models import Submission

    board = Board.objects.get(name="The cup's board")
    found = Submission.objects.filter(period__board=board).values("player__external_id").annotate(many=Count("pk"))
    return dict(found.values_list("player__external_id", "many"))

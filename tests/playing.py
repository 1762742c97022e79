"""What tests of pages need to set up: boards, scores and names, through the product's own services."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User

from foundation import clock
from leaderboards.core.input.entries import read_entry
from leaderboards.core.submissions import Caller, Status
from leaderboards.models import Period
from leaderboards.services.players.profiles import set_profile
from leaderboards.services.submit.pipeline import backfill, submit
from tests.leaderboards.factories import BoardFactory, UserFactory

GAME = Caller("tests")

HARD_NAMES = (
    "W" * 64,
    "가" * 64,
    "سلام دنیا — نام بسیار بلند برای یک بازیکن در جدول رده‌بندی",
    "👩‍👩‍👧‍👦🏳️‍🌈🇰🇷" * 7,
    "Z̷̢̛a̴̡͝l̶̨̕g̸̡͠o̷̧͝",
    "<b>bold</b><script>alert(1)</script>",
    "\u202eevil\u202c",
    "a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5",
)


def make_board(**settings: Any) -> int:
    """A board with these settings; its number."""
    return BoardFactory.create(**{"name": "Board", **settings}).seq


def score(board: int, points: Mapping[str, object], at: datetime | None = None) -> None:
    """Each player scores once: a number of points, or a dict of fields. With ``at``, in a period of the past."""
    entries = []
    for position, (player, value) in enumerate(points.items()):
        result = {"fields": value} if isinstance(value, dict) else {"points": value}
        sent = {"board": board, "player": player, **result, **({"at": at.isoformat()} if at else {})}
        entries.append(read_entry(sent, position))
    outcomes = backfill(entries, GAME, clock.now()) if at else submit(entries, GAME, clock.now())
    refused = [outcome for outcome in outcomes if outcome.status is Status.REJECTED]
    assert not refused, refused


def running(board: int) -> Period:
    """The board's period that runs now."""
    return Period.objects.get(board=board, starts_at__lte=clock.now(), ends_at__gt=clock.now())


def name(player: str, shown: str) -> None:
    set_profile(player, {"name": shown}, clock.now())


def account(username: str, player: str | None = None, **more: Any) -> User:
    """A user with the password "secret", linked to ``player``."""
    return UserFactory.create(username=username, player=player, **more)

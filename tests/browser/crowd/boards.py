"""Boards of every kind with long names, ties, many criteria and a past, and a player who is on them."""

from datetime import timedelta
from typing import Any

from foundation import clock
from leaderboards.core.periods import Calendar, PeriodKind, window_at
from leaderboards.models import Period
from leaderboards.services.periods.close import close_period
from leaderboards.services.periods.rank_history import record_rank_history, snapshot_time
from leaderboards.services.players.profiles import set_profile
from tests.browser.crowd.page import SitePage
from tests.playing import HARD_NAMES, make_board, name, score

WIDEST = "W" * 64
HOUR, WEEK = timedelta(hours=1), timedelta(weeks=1)
STAGES = [{"name": each, "max": 9_999_999, "order": "desc"} for each in ("stage", "damage_dealt")]
MANY = [{"name": f"criterion_number_{each}", "max": 250, "order": "desc"} for each in range(6)]


def pages() -> list[SitePage]:
    """Makes the boards."""
    weekly, past = _weekly()
    board = f"/boards/{weekly}/"
    raids = {f"p{n}": {"stage": 9_000_000 - n, "damage_dealt": 1_234_567} for n in range(9)}
    raid = _board(raids, name="Raid", period="month", criteria=STAGES)
    many = _board({WIDEST: {each["name"]: 249 for each in MANY}}, name="M" * 100, criteria=MANY)
    strokes = {f"golfer-{n}": 70 + n // 4 for n in range(16)}
    how = {"period": "day", "order": "asc", "ties": "shared", "storage": "sql", "timezone": "Asia/Seoul"}
    golf = _board(strokes, name="골프 리그", **how)
    times = {"robin": 61_250, "mina": 59_999, "omar": 4_000_000}
    speed = _board(times, name="Speed run", period="all_time", order="asc", unit="milliseconds")
    return [
        SitePage("home", "/"),
        SitePage("board", f"{board}?player=robin"),
        SitePage("board-hard-name", f"{board}?player={WIDEST}"),
        SitePage("board-page-3", f"{board}?player=robin&page=3"),
        SitePage("board-past", f"{board}?player=robin&period={past}"),
        SitePage("board-periods", f"{board}periods/"),
        SitePage("board-nobody-found", f"{board}?find=nobody"),
        SitePage("board-embedded", f"{board}?embed=1"),
        SitePage("board-screen", f"{board}?screen=1"),
        SitePage("board-share", f"{board}share/?player=robin"),
        SitePage("board-share-hard-name", f"{board}share/?player={WIDEST}"),
        SitePage("board-as-player", board, "robin"),
        SitePage("board-following", f"{board}?of=following", "robin"),
        SitePage("board-of-country", f"{board}?of=KR", "robin"),
        SitePage("board-of-nobody", f"{board}?of=following"),
        SitePage("compare", f"/compare/?a=robin&b=player-003&board={weekly}", "robin"),
        SitePage("compare-hard-name", f"/compare/?a=robin&b={WIDEST}&board={weekly}"),
        SitePage("compare-with-whom", f"/compare/?a=robin&board={weekly}"),
        SitePage("compare-nothing-shared", f"/compare/?a=golfer-1&b={WIDEST}"),
        SitePage("board-raid", f"/boards/{raid}/?player=p3"),
        SitePage("board-many-criteria", f"/boards/{many}/?player={WIDEST}"),
        SitePage("board-ties", f"/boards/{golf}/?player=golfer-9"),
        SitePage("board-times", f"/boards/{speed}/?player=robin"),
        SitePage("board-empty", f"/boards/{make_board(name='Quiet')}/?player=robin"),
        SitePage("board-of-events", f"/boards/{make_board(name='Cup', period='event')}/"),
        SitePage("player", "/players/robin/"),
        SitePage("player-to-follow", "/players/player-003/", "robin"),
        SitePage("player-hard-name", f"/players/{WIDEST}/"),
        SitePage("style-guide", "/styleguide/"),
    ]


def _board(points: dict[str, Any], **settings: Any) -> int:
    board = make_board(**settings)
    score(board, points)
    return board


def _weekly() -> tuple[int, str]:
    """A weekly board with three pages and eight final weeks before it, and the label of the last of them.

    Robin has gone up since ranks were last kept.
    """
    weekly = make_board(name="Weekly wins", update="increment")
    final_weeks(weekly, 8)
    score(weekly, {f"player-{number:03d}": 40_000 - 37 * number for number in range(120)} | {"robin": 36_120})
    score(weekly, dict.fromkeys(("가" * 64, WIDEST), 36_500))
    now = clock.now()
    running = Period.objects.select_related("board").get(board__seq=weekly, starts_at__lte=now, ends_at__gt=now)
    for hours in (3, 2, 1):
        at = snapshot_time(now - hours * HOUR)
        record_rank_history(running, at, at)
        score(weekly, {"robin": 100})
    for number, hard in enumerate(HARD_NAMES, start=1):
        name(f"player-{number:03d}", hard)
    name("robin", "Robin")
    for player in ("robin", "player-003", WIDEST):
        set_profile(player, {"country": "KR"}, clock.now())
    return weekly, window_at(Calendar(PeriodKind.WEEK), clock.now() - WEEK).label


def final_weeks(board: int, count: int) -> None:
    """So many weeks before this one, each with three players, and final."""
    for weeks in range(1, count + 1):
        score(board, {"robin": 100 * weeks, "mina": 150, "player-003": 900}, clock.now() - weeks * WEEK)
    for period in Period.objects.filter(board__seq=board, ends_at__lte=clock.now()):
        close_period(period, clock.now())

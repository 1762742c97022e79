"""Competitions in every phase, seen by anybody, by robin, who takes part, and by the chief, who runs them."""

from datetime import datetime
from io import BytesIO

from PIL import Image

from competitions.models import Competition, RewardTier
from competitions.services.cancel import cancel
from competitions.services.finish import finish_due
from competitions.services.freeze import freeze_due
from competitions.services.join import join
from competitions.services.picture import as_webp, set_picture
from competitions.services.publish import publish
from competitions.services.snapshot import take_due
from foundation import clock
from leaderboards.models import Board
from tests.browser.crowd.page import SitePage
from tests.competitions.site import DAY, HOUR, MINUTE, START, draft, make_board, open_competition, player, score

DESCRIPTION = "Run as far as you can.\n\nEvery workout counts, from the first minute to the last. Be kind."
RUNNING = "Spring Marathon 2026"


def pages() -> list[SitePage]:
    """Makes the competitions."""
    board = make_board()
    final, hidden = _over(board), _over(board, " behind the curtain", 60)
    now, frozen = _address(_running(board)), _address(_frozen(board))
    return [
        SitePage("competitions", "/competitions/"),
        SitePage("competitions-as-staff", "/competitions/", "chief"),
        SitePage("competition-running", now),
        SitePage("competition-running-as-player", now, "robin"),
        SitePage("competition-draft", _address(draft(board, name="Not yet said")), "chief"),
        SitePage("competition-coming", _address(_coming()), "robin"),
        SitePage("competition-frozen", frozen),
        SitePage("competition-frozen-as-player", frozen, "robin"),
        SitePage("competition-closing", _address(_closing(board))),
        SitePage("competition-hidden", _address(hidden), "chief"),
        SitePage("competition-final", _address(final), "robin"),
        SitePage("competition-cancelled", _address(_cancelled(board))),
        SitePage("competition-nobody", _address(open_competition(make_board(name="Unused"), name="Nobody came"))),
        SitePage("reveal", f"{_address(final)}reveal/"),
        SitePage("reveal-as-staff", f"{_address(hidden)}reveal/", "chief"),
        SitePage("leave", f"{now}leave/", "robin"),
    ]


def _address(competition: Competition) -> str:
    return f"/competitions/{competition.pk}/"


def _raced(competition: Competition, points: dict[str, int], at: datetime) -> None:
    """These join and score, and some more only join."""
    for each in (*points, *(f"late-{number}" for number in range(25))):
        join(competition, player(each), at)
    assert {outcome.code for outcome in score(competition, points, at)} == {None}


def _running(board: Board) -> Competition:
    """With everything that a page can show, and a way that goes up and down for robin."""
    competition = open_competition(
        board, name=RUNNING, description=DESCRIPTION, attempts=500, most_participants=500,
        join_until=START + 20 * HOUR, freeze_minutes=60, timezone="Asia/Seoul",
    )  # fmt: skip  # as a table
    picture = BytesIO()
    Image.linear_gradient("L").resize((1600, 900)).convert("RGB").save(picture, "JPEG")
    set_picture(competition, as_webp(picture.getvalue()))
    for tier in (
        {"name": "Gold trophy", "kind": "rank", "limit": 1},
        {"name": "A reward with quite a long name, as sponsors like them", "kind": "percent", "limit": 10},
        {"name": "Finisher", "kind": "points", "limit": 10_000},
    ):
        RewardTier.objects.create(competition=competition, **tier)
    _raced(competition, {f"player-{n:03d}": 40_000 - 37 * n for n in range(70)} | {"robin": 36_120}, START + MINUTE)
    for minutes, points in ((10, 37_000), (31, 37_100), (61, 39_500), (91, 39_400)):
        more = {f"player-{n:03d}": 38_500 + n for n in range(minutes // 2)}
        score(competition, {"robin": points} | more, START + minutes * MINUTE)
        take_due(START + (minutes + 1) * MINUTE)
    return competition


def _frozen(board: Board) -> Competition:
    """Hidden for half an hour; robin has scored since."""
    frozen = open_competition(
        board, name="Frozen lake swim", freeze_minutes=22 * 60 + 30, joining="code", join_code="X"
    )
    for each in ("robin", "mina"):
        join(frozen, player(each), START, "x")
    score(frozen, {"robin": 5, "mina": 9}, START + HOUR)
    freeze_due(clock.now())
    score(frozen, {"robin": 70}, clock.now())
    return frozen


def _coming() -> Competition:
    """As wide as can be, and one needs a code."""
    return open_competition(
        make_board(name="M" * 99), name="W" * 100, description="M" * 400, joining="code", join_code="X",
        starts_at=clock.now() + DAY, ends_at=clock.now() + 3 * DAY,
    )  # fmt: skip  # as a table


def _closing(board: Board) -> Competition:
    """Ended a minute ago; its result is being worked out."""
    closing = open_competition(board, name="Autumn Sprint", ends_at=clock.now() - MINUTE)
    _raced(closing, {"robin": 5, "mina": 9}, START + MINUTE)
    return closing


def _over(board: Board, rest: str = "", freeze: int | None = None) -> Competition:
    """Final since yesterday; with ``freeze`` (minutes) not revealed yet."""
    competition = draft(
        board, name=f"Winter Cup{rest}", starts_at=START - 3 * DAY, ends_at=START - DAY, freeze_minutes=freeze,
        description=DESCRIPTION,
    )  # fmt: skip  # as a table
    publish(competition, START - 4 * DAY, None)
    points = {f"player-{n:03d}": 5000 - 40 * n for n in range(1, 12)} | {"robin": 4870}
    _raced(competition, points, START - 2 * DAY)
    finish_due(START - DAY + HOUR)
    return competition


def _cancelled(board: Board) -> Competition:
    cancelled = open_competition(board, name="Rained off")
    cancel(cancelled, "이번 달 말까지 공원이 물에 잠겨 있습니다.", clock.now(), None)
    return cancelled

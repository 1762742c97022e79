"""Competitions in every phase, seen by anybody, by robin, who takes part, and by the chief, who runs them."""

from datetime import datetime
from io import BytesIO

from PIL import Image

from competitions.models import Competition
from competitions.services.lifecycle.cancel import cancel
from competitions.services.lifecycle.finish import finish_due
from competitions.services.lifecycle.freeze import freeze_due
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.picture import as_webp, set_picture
from foundation import clock
from leaderboards.models import Board
from tests.browser.crowd.page import SitePage
from tests.competitions.factories import ParticipantFactory, RewardTierFactory
from tests.competitions.site import DAY, HOUR, MINUTE, START, draft, make_board, open_competition, player, score

DESCRIPTION = "Run as far as you can.\n\nEvery workout counts, from the first minute to the last. Be kind."
RUNNING = "Spring Marathon 2026"
_PUBLISH = "/admin/competitions/competition/publish-drafts/"


def pages() -> list[SitePage]:
    """Makes the competitions."""
    board = make_board()
    final, hidden = _over(board, "Winter Cup"), _over(board, "Winter Cup behind the curtain", 60)
    cancelled = open_competition(board, name="Rained off")
    cancel(cancelled, "이번 달 말까지 공원이 물에 잠겨 있습니다.", clock.now(), None)
    now, frozen = _address(_running(board)), _address(_frozen(board))
    coming = _coming()
    unsaid = draft(board, name="Not yet said")
    closing = open_competition(board, name="Autumn Sprint", ends_at=clock.now() - MINUTE)
    _raced(closing, {"robin": 5, "mina": 9}, START + MINUTE)
    return [
        SitePage("competitions", "/competitions/"),
        SitePage("competitions-as-staff", "/competitions/", "chief"),
        SitePage("competition-running", now),
        SitePage("competition-running-as-player", now, "robin"),
        SitePage("competition-draft", _address(unsaid), "chief"),
        SitePage("admin-publish-drafts", f"{_PUBLISH}?of={unsaid.pk}", "chief", foreign="초안 1개 공개"),
        SitePage("competition-coming", _address(coming), "robin"),
        SitePage("competition-frozen", frozen),
        SitePage("competition-frozen-as-player", frozen, "robin"),
        SitePage("competition-closing", _address(closing)),
        SitePage("competition-hidden", _address(hidden), "chief"),
        SitePage("competition-final", _address(final), "robin"),
        SitePage("competition-cancelled", _address(cancelled)),
        SitePage("competition-nobody", _address(open_competition(make_board(name="Unused"), name="Nobody came"))),
        SitePage("reveal", f"{_address(final)}reveal/"),
        SitePage("reveal-as-staff", f"{_address(hidden)}reveal/", "chief"),
        SitePage("competition-embedded", f"{_address(final)}?embed=1"),
        SitePage("competition-screen", f"{now}?screen=1"),
        SitePage("competition-share", f"{now}share/", "robin"),
        SitePage("reminder", f"{_address(coming)}reminder/", "robin"),
        SitePage("leave", f"{now}leave/", "robin"),
    ]


def _address(competition: Competition) -> str:
    return f"/competitions/{competition.pk}/"


def _raced(competition: Competition, points: dict[str, int], at: datetime) -> None:
    """These join and score, and some more only join."""
    for each in (*points, *(f"late-{number}" for number in range(25))):
        ParticipantFactory.create(competition=competition, player=player(each), at=at)
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
    for name, kind, limit in (
        ("Gold trophy", "rank", 1),
        ("A reward with quite a long name, as sponsors like them", "percent", 10),
        ("Finisher", "points", 10_000),
    ):
        RewardTierFactory.create(competition=competition, name=name, code="", kind=kind, limit=limit)
    _raced(competition, {f"player-{n:03d}": 40_000 - 37 * n for n in range(70)} | {"robin": 36_120}, START + MINUTE)
    for minutes, points in ((10, 37_000), (31, 37_100), (61, 39_500), (91, 39_400)):
        more = {f"player-{n:03d}": 38_500 + n for n in range(minutes // 2)}
        score(competition, {"robin": points} | more, START + minutes * MINUTE)
        take_due_snapshots(START + (minutes + 1) * MINUTE)
    return competition


def _frozen(board: Board) -> Competition:
    """Hidden for half an hour; robin has scored since."""
    frozen = open_competition(
        board, name="Frozen lake swim", freeze_minutes=22 * 60 + 30, joining="code", join_code="X"
    )
    for each in ("robin", "mina"):
        ParticipantFactory.create(competition=frozen, player=player(each), code="x")
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


def _over(board: Board, name: str, freeze: int | None = None) -> Competition:
    """Final since yesterday; with ``freeze`` (minutes) not revealed yet."""
    times = {"starts_at": START - 3 * DAY, "ends_at": START - DAY}
    competition = open_competition(board, name=name, description=DESCRIPTION, freeze_minutes=freeze, **times)
    points = {f"player-{n:03d}": 5000 - 40 * n for n in range(1, 12)} | {"robin": 4870}
    _raced(competition, points, START - 2 * DAY)
    finish_due(START - DAY + HOUR)
    return competition

"""Accounts: robin, who plays and was there on most days; somebody new with a long name; and who runs the site."""

from typing import Any

from competitions.models import Competition, Notice
from foundation import clock
from foundation.redis import client as redis
from leaderboards.models import Player
from leaderboards.services.players.follow import follow
from leaderboards.services.sync.resync_periods import resync_due
from likes.services.flush import merge_days
from likes.services.player_number import ensure_number
from likes.stores.activity import ActivityStore, Visit
from tests.browser.crowd.competitions import RUNNING
from tests.browser.crowd.page import SitePage, session
from tests.competitions.site import START
from tests.likes.counting import DAY, flush_all
from tests.playing import account

NEWCOMER = "W" * 150
ABSENT = {0, 3, 4, 17, 18, 19, 20, 30, 44, 45, 46, 47, 48, 60}
TOLD: dict[str, dict[str, Any]] = {
    "first_taken": {"previous_rank": 4},
    "top10_entered": {"rank": 8, "read_at": START},
    "first_lost": {"rank": 2},
}


def pages() -> list[SitePage]:
    """Lets robin be there, and tells them things."""
    robin = Player.objects.get(external_id="robin")
    user = account("robin", "robin")
    for player in ("player-003", "player-077", "W" * 64, "mina"):
        follow(user, player, clock.now())
    account("chief", "chief", is_staff=True, is_superuser=True)
    account(NEWCOMER)
    _attend(robin)
    running = Competition.objects.get(name=RUNNING)
    for kind, more in TOLD.items():
        Notice.objects.create(competition=running, player=robin, kind=kind, created_at=START, **more)
    return [
        SitePage("sign-in", "/accounts/login/?next=/account/"),
        SitePage("account", "/account/", "robin"),
        SitePage("own-profile", "/account/profile/", "robin"),
        SitePage("own-profile-not-linked", "/account/profile/", NEWCOMER),
        SitePage("following", "/account/following/", "robin"),
        SitePage("following-nobody", "/account/following/", NEWCOMER),
        SitePage("account-not-linked", "/account/", NEWCOMER),
        SitePage("inbox", "/inbox/", "robin"),
        SitePage("inbox-empty", "/inbox/", "chief"),
        SitePage("inbox-not-linked", "/inbox/", NEWCOMER),
        SitePage("home-as-player", "/", "robin"),
        SitePage("inbox-settings", "/inbox/settings/", "robin"),
        SitePage("admin", "/admin/", "chief", foreign="순위표"),
        SitePage("admin-boards", "/admin/leaderboards/board/", "chief", foreign="순위표"),
        SitePage("admin-board", "/admin/leaderboards/board/add/", "chief", foreign="이 설정의 뜻"),
        SitePage("admin-competition", "/admin/competitions/competition/add/", "chief", foreign="게임에 쓰는 코드"),
        SitePage(
            "admin-service-key", "/admin/foundation/servicekey/add/", "chief", foreign="권한 범위", cookie=session
        ),
        SitePage("admin-activity", "/admin/likes/activityday/", "chief", foreign="날짜별 방문자"),
    ]


def _attend(robin: Player) -> None:
    """Ten weeks, from today back; some guests on each day."""
    resync_due(clock.now())
    store, number = ActivityStore(redis.boards()), ensure_number(robin.pk)
    for days in range(70):
        at = clock.now() - days * DAY
        store.visit(Visit("home", "guest", None), at)
        if days not in ABSENT:
            store.visit(Visit("board:1", "robin", number), at)
        if days % 2:  # each keeps its day and the one before
            merge_days(at + DAY)
    flush_all(clock.now())

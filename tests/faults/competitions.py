"""What children do with competitions: score in them while ends are moved or frozen, take snapshots, tell and reward.

Where others score, a board's competition has the board's own number. Snapshots and what is told have times of days
ago or around now, which the services are told.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from competitions.models import Mail, Notice, RewardGrant, RewardTier, Snapshot, SnapshotRow
from competitions.services.lifecycle.snapshots import take_due_snapshots
from competitions.services.notices.mail import send_due
from competitions.services.notices.notices import release_deferred, write_notices
from competitions.services.notices.rank_notices import compare_due_snapshots
from competitions.services.rewards.reward import grant_due_rewards
from foundation import clock
from foundation.errors import SunwiError
from foundation.webhooks.models import WebhookDelivery
from foundation.webhooks.outbox import event_id
from leaderboards.core.periods import event_label, event_window
from leaderboards.models import Board, Period, Standing, Submission
from leaderboards.services import events
from leaderboards.services.events import BanPreview, Event
from leaderboards.services.periods import reschedule
from leaderboards.services.periods.close import close_due
from leaderboards.services.periods.open import open_period
from leaderboards.stores.sql.writes import state_of
from tests.competitions import site
from tests.competitions.services.telling import HOUR, NOON, contest, listening, snapshot, who, with_address
from tests.faults import load
from tests.faults.trying import at_last
from tests.leaderboards.services import site as board_site
from tests.leaderboards.services.copying import copy_period

LONG_AGO = datetime(2000, 1, 1, tzinfo=UTC)  # everybody has joined by then
DAYS = 30  # to the end that is announced; periods end sooner
NIGHT = NOON - 10 * HOUR
LATER = board_site.NOON + 2 * board_site.DAY
SCORES = {f"p{number}": number for number in range(20)}


class Races:
    """Everybody takes part in every board's competition."""

    def find_events(self, numbers: Collection[int], at: object) -> Mapping[int, Event | SunwiError]:
        return {board.pk: _event(board, DAYS) for board in Board.objects.filter(pk__in=numbers)}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        return {}

    def joined_times(self, pairs: Collection[tuple[int, str]]) -> Mapping[tuple[int, str], datetime]:
        return dict.fromkeys(pairs, LONG_AGO)

    def players_who_left(self, number: int) -> Collection[int]:
        return ()

    def freeze(self, number: int, at: object) -> None:
        """Nothing is hidden."""

    def preview_ban(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        return BanPreview()

    def void(self, submission: Submission, reason: str, at: object, by: object) -> bool:
        raise NotImplementedError  # these tests void no score of an event

    def unvoid(self, submission: Submission, reason: str, at: object, by: object, *, purge: int | None = None) -> bool:
        raise NotImplementedError  # these tests void no score of an event

    def accept_late(self, entry: object, reason: str, at: object, by: object) -> None:
        raise NotImplementedError  # these tests void no score of an event


def _event(board: Board, days: float) -> Event:
    window = event_window(board.pk, board.created_at - timedelta(hours=1), board.created_at + timedelta(days=days))
    return Event(board.pk, board, window)


def begin_races(boards: list[int]) -> None:
    for board in Board.objects.filter(pk__in=boards):
        open_period(board, _event(board, days=1).window)


def score(**how: Any) -> int:
    """Score in the boards' competitions until told to stop; returns how many calls that were."""
    events.provide(Races())
    return load.write(**how, races=True)


def move_end(board: int, days: float, chunk: int = 10) -> None:
    """Let the competition end that many days after its board was made."""
    reschedule.CHUNK = chunk
    period = _period(board)
    reschedule.move_end(period, period.board.created_at + timedelta(days=days), clock.now())


def move_end_at_last(board: int, days: float) -> None:
    """Move the end, as somebody does who reads "try again" and does so."""
    at_last(lambda: move_end(board, days))


def freeze(board: int) -> int:
    return at_last(lambda: copy_period(_period(board), f"c{board}-frozen", clock.now()).players)


def badly_packed(boards: list[int]) -> list[str]:
    """The players whose score is not what the period's present layout makes of it."""
    found = []
    for period in map(_period, boards):
        for row in Standing.objects.filter(period=period, score__isnull=False).select_related("player"):
            state, name = state_of(row.points, row.fields, row.at), row.player.external_id
            if (row.score, row.member) != period.layout.pack(state.value, state.at_ms, name):
                found.append(name)
    return found


def _period(board: int) -> Period:
    return Period.objects.select_related("board").get(board=board, label=event_label(board))


def begin_with_scores() -> list[int]:
    """A competition in each storage, with the same scores; their numbers."""
    made = [site.open_competition(site.make_board(storage)) for storage in site.STORAGES]
    for each in made:
        site.raced(each, SCORES, site.START)
    return [each.pk for each in made]


def take_snapshots(minutes: int) -> int:
    return take_due_snapshots(site.START + timedelta(minutes=minutes))


def snapshots(competitions: list[int]) -> list[Any]:
    """Each snapshot: when it was due, whose it is, how many it counted, and how many rows it has."""
    found = []
    for each in Snapshot.objects.filter(competition__in=competitions).order_by("due_at", "competition_id"):
        minutes = (each.due_at - site.START) // timedelta(minutes=1)
        found.append([minutes, each.competition_id, each.total, SnapshotRow.objects.filter(snapshot=each).count()])
    return found


# What one preparation comes to, however often its tellers die.
TOLD = {
    "notices": {"ann first_lost": 3, "ann first_taken": 1, "ann summary": 1, "bob first_taken": 1},
    "inbox": {"ann first_lost": 1, "ann summary": 1, "bob first_taken": 1},
    "mails": {"ann": 2, "bob": 1},
    "hooks": {"rank.first_lost": 1, "rank.first_taken": 1, "reward.granted": 2},
    "grants": {"ann": 1, "bob": 1},
}


def prepare_to_tell(number: int) -> None:
    """Somebody passes somebody, a night's notices are due, and a period of rewards is final."""
    if number == 0:
        listening()
    ann, bob = f"ann{number}", f"bob{number}"
    for name in (ann, bob):
        with_address(name)
    cup = contest(ann, bob)
    for kind in ("first_lost", "first_taken", "first_lost"):
        write_notices([Notice(competition=cup, player=who(ann), kind=kind)], NIGHT)
    snapshot(cup, NOON - HOUR, ann, bob)
    compare_due_snapshots(NOON - HOUR)
    snapshot(cup, NOON, bob, ann)
    board = board_site.make_board("sql", name=f"Rewarded {number}")
    RewardTier.objects.create(board=board, name="Gold", kind="percent", limit=Decimal(100))
    board_site.score(board, {ann: 2, bob: 1})
    close_due(board_site.NOON + board_site.DAY)


def tell(minutes: int = 0) -> int:
    """All that the schedule would do; returns how much there was to do."""
    at = NOON + timedelta(minutes=minutes)
    return compare_due_snapshots(at) + release_deferred(at) + send_due(at) + grant_due_rewards(LATER)


def told(number: int) -> dict[str, dict[str, int]]:
    board = Board.objects.get(name=f"Rewarded {number}")
    own = Notice.objects.filter(player__external_id__in=(f"ann{number}", f"bob{number}"))
    grants = RewardGrant.objects.filter(period__board=board)
    ids = [event_id(f"notice-{notice.pk}", notice.created_at) for notice in own]
    ids += [event_id(f"grant-{grant.pk}", grant.granted_at) for grant in grants]
    sent = Mail.objects.filter(notice__in=own, sent_at__isnull=False)
    return {
        "notices": Counter(f"{_name(notice)} {notice.kind}" for notice in own),
        "inbox": Counter(f"{_name(notice)} {notice.kind}" for notice in own.filter(Notice.IN_INBOX)),
        "mails": Counter(mail.to.partition("@")[0].rstrip("0123456789") for mail in sent),
        "hooks": Counter(WebhookDelivery.objects.filter(message_id__in=ids).values_list("kind", flat=True)),
        "grants": Counter(_name(grant) for grant in grants),
    }


def _name(row: Notice | RewardGrant) -> str:
    return row.player.external_id.rstrip("0123456789")

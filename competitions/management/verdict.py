"""What a rehearsal came to, held against plain computation: how much of it is wrong, there twice, or missing."""

from collections import Counter
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from competitions.management.naive import Look, notices, ranking, rewards
from competitions.management.rehearsal import ALERTS, PRIZES, Record
from competitions.models import (
    Competition,
    Notice,
    NoticeKind,
    Participant,
    Preference,
    RewardGrant,
    Snapshot,
    SnapshotRow,
)
from leaderboards.models import Period, Submission
from leaderboards.selectors.export import ranking_of

OUTCOMES = (NoticeKind.RESULT, NoticeKind.RESULT_CHANGED, NoticeKind.REWARDED, NoticeKind.REWARD_REVOKED)
Told = Counter[tuple[str, str, int | None]]  # kind, player, snapshot


@dataclass(frozen=True, slots=True)
class Verdict:
    """The line that a rehearsal ends with."""

    participants: int
    submissions: int
    rank_mismatches: int
    notifications: dict[str, int]
    rewards: int
    duplicates: int
    missing: int

    @property
    def is_good(self) -> bool:
        """Whether all of it is as it must be."""
        return not (self.rank_mismatches or self.duplicates or self.missing)

    def to_json(self) -> dict[str, Any]:
        """For the terminal."""
        return asdict(self)


def judge(competition: Competition, record: Record) -> Verdict:
    """Compare the rows of a competition that is over with what its participants did."""
    told, granted = _told(competition), _granted(competition)
    kept = Counter(Submission.objects.filter(competition=competition.pk).values_list("external_id", flat=True))
    pairs: list[tuple[Counter[Any], Counter[Any]]] = [
        (kept, Counter(list(record.accepted))),
        (told, _to_be_told(competition, record)),
        (granted, Counter(rewards(PRIZES, record.counted))),
    ]
    return Verdict(
        participants=Participant.objects.filter(competition=competition).count(),
        submissions=kept.total(),
        rank_mismatches=_wrong_ranks(competition, record),
        notifications=dict(Counter(kind for kind, _, _ in told.elements())),
        rewards=granted.total(),
        duplicates=sum((found - wanted).total() for found, wanted in pairs),
        missing=sum((wanted - found).total() for found, wanted in pairs),
    )


def _wrong_ranks(competition: Competition, record: Record) -> int:
    """In the result, in what the public saw while it was frozen, and in every snapshot."""
    freezes_at = competition.course.freezes_at
    before = [each for each in record.counted if freezes_at is None or each.at < freezes_at]
    wrong = _differing(_final(competition, competition.label), ranking(record.counted))
    wrong += _differing(_final(competition, competition.frozen_label), ranking(before))
    for snapshot in Snapshot.objects.filter(competition=competition):
        wrong += _differing(_ranks(snapshot), record.ranks[snapshot.due_at])
    return wrong


def _differing(found: dict[str, int], wanted: dict[str, int]) -> int:
    return sum(found.get(player) != wanted.get(player) for player in found.keys() | wanted.keys())


def _final(competition: Competition, label: str) -> dict[str, int]:
    """The final ranks of those who are shown."""
    period = Period.objects.select_related("board").filter(board=competition.board, label=label).first()
    return {row.player.external_id: rank for rank, row in ranking_of(period)} if period else {}


def _ranks(snapshot: Snapshot) -> dict[str, int]:
    rows = SnapshotRow.objects.filter(snapshot=snapshot)
    return dict(rows.values_list("player__external_id", "rank"))


def _told(competition: Competition) -> Told:
    """What was told until the end: what it came to is told later, by the schedule."""
    rows = Notice.objects.filter(competition=competition).exclude(kind__in=OUTCOMES)
    return Counter(rows.values_list("kind", "player__external_id", "snapshot_id"))


def _granted(competition: Competition) -> Counter[tuple[str, str]]:
    rows = RewardGrant.objects.filter(competition=competition)
    return Counter(rows.values_list("name", "player__external_id"))


def _to_be_told(competition: Competition, record: Record) -> Told:
    """Passages of the last hours, the moved end, who is out, and a summary of what somebody was to hear at night."""
    found = Snapshot.objects.filter(competition=competition)
    looks = [Look(each.pk, each.due_at, _ranks(each)) for each in found]
    begins = competition.ends_at - timedelta(hours=competition.alert_hours)
    ends = competition.course.freezes_at or competition.ends_at
    last_hours = {look.number: look.due_at for look in looks if begins < look.due_at <= ends}
    passed = {
        (number, player): kind
        for (number, player), kind in notices(looks, last_hours, ALERTS).items()
        if player not in record.gone or last_hours[number] < record.gone[player]
    }
    told: Told = Counter({(kind, player, number): 1 for (number, player), kind in passed.items()})
    told.update({("extended", player, None): 1 for player in record.told_of_end})
    told.update({("disqualified", player, None): 1 for player in record.disqualified})
    heard = [(player, last_hours[number]) for number, player in passed]
    heard += [(player, record.moved_at) for player in record.told_of_end if record.moved_at]
    heard += list(record.disqualified.items())
    return told + _summaries(heard)


def _summaries(heard: list[tuple[str, datetime]]) -> Told:
    wishes = {wish.player.external_id: wish for wish in Preference.objects.select_related("player")}
    nights = Counter((player, _night(wishes[player], at)) for player, at in heard)
    several = [player for (player, night), count in nights.items() if night and count > 1]
    return Counter(("summary", player, None) for player in several)


def _night(wish: Preference, at: datetime) -> str:
    """The day whose morning ends the quiet hours that hold ``at``, on the player's clock; empty while he is awake."""
    local = at.astimezone(ZoneInfo(wish.timezone or "UTC"))
    if wish.quiet_from == wish.quiet_until or wish.quiet_until <= local.hour < wish.quiet_from:
        return ""
    return f"{local + timedelta(hours=24 - wish.quiet_from):%F}"

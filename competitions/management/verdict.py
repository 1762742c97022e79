"""Compare the outcome of a rehearsal with an independent computation: count what is wrong, duplicated or missing."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from competitions.management.expected import (
    ExpectedNotice,
    ExpectedSnapshot,
    broken,
    lost,
    moved,
    notices,
    outcomes,
    published,
    ranking,
    rewards,
)
from competitions.management.record import ALERTS, PRIZES, Record
from competitions.models import (
    Competition,
    Notice,
    Participant,
    Preference,
    RewardGrant,
    Snapshot,
    SnapshotRow,
)
from competitions.selectors.results.revisions import parts_of
from competitions.services.results.late_scores import JURY
from leaderboards.models import Period, Submission
from leaderboards.selectors.exports.period_rows import visible_final_ranking

NoticeCounts = Counter[tuple[str, str, str]]  # kind, player, and what it is about


@dataclass(frozen=True, slots=True)
class Verdict:
    """The figures of the last line of a rehearsal."""

    participants: int
    submissions: int
    rank_mismatches: int
    notifications: dict[str, int]
    rewards: int
    revoked: int
    revisions: int
    broken_hashes: int
    duplicates: int
    missing: int

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong, duplicated or missing."""
        return not (self.rank_mismatches or self.broken_hashes or self.duplicates or self.missing)

    def to_json(self) -> dict[str, Any]:
        """Return the figures for the output."""
        return asdict(self)


def judge(competition: Competition, record: Record) -> Verdict:
    """Compare the rows of a finished competition with what its participants and its jury did."""
    documents = [b"".join(parts_of(each)) for each in competition.revisions.order_by("number")]
    told, standing, revoked = _written_notices(competition), _granted(competition, False), _granted(competition, True)
    due = _expected_notices(competition, record)
    late = Counter((each.player, each.points) for each in record.late)
    pairs: list[tuple[Counter[Any], Counter[Any]]] = [
        (_submission_ids(competition), Counter(list(record.accepted))),
        (_late_scores(competition), late),
        (told, due),
        (standing, Counter(rewards(PRIZES, record.counted))),
        (revoked, Counter(lost(record.results))),
        (Counter(range(len(documents))), Counter(range(len(record.results)))),
    ]
    return Verdict(
        participants=Participant.objects.filter(competition=competition).count(),
        submissions=Submission.objects.filter(competition=competition.pk).count(),
        rank_mismatches=_wrong_ranks(competition, record) + _wrong_rows(documents, record),
        notifications=dict(Counter(kind for kind, _, _ in told.elements())),
        rewards=standing.total(),
        revoked=revoked.total(),
        revisions=len(documents),
        broken_hashes=broken(documents),
        duplicates=sum((found - wanted).total() for found, wanted in pairs),
        missing=sum((wanted - found).total() for found, wanted in pairs),
    )


def _wrong_ranks(competition: Competition, record: Record) -> int:
    """Count wrong ranks in the result, in the frozen copy, in every snapshot, and in what the public saw."""
    freezes_at = competition.timeline.freezes_at or competition.ends_at
    wrong = _differing(_final(competition, competition.label), ranking(record.counted))
    wrong += _differing(_final(competition, competition.frozen_label), ranking(record.counted_before(freezes_at)))
    for snapshot in Snapshot.objects.filter(competition=competition):
        wrong += _differing(_ranks(snapshot), record.ranks[snapshot.due_at])
    return wrong + sum(_differing(seen, wanted) for seen, wanted in record.seen)


def _wrong_rows(documents: Sequence[bytes], record: Record) -> int:
    """Count wrong ranks in the published results."""
    found = [{row["player"]: row["rank"] for row in published(each).get("rows", [])} for each in documents]
    return sum(_differing(rows, dict(each.ranks)) for rows, each in zip(found, record.results, strict=False))


def _differing(found: dict[str, int], wanted: dict[str, int]) -> int:
    return sum(found.get(player) != wanted.get(player) for player in found.keys() | wanted.keys())


def _final(competition: Competition, label: str) -> dict[str, int]:
    """Return the final ranks of visible players."""
    period = Period.objects.select_related("board").filter(board=competition.board, label=label).first()
    return {row.player: rank for rank, row in visible_final_ranking(period)} if period else {}


def _ranks(snapshot: Snapshot) -> dict[str, int]:
    rows = SnapshotRow.objects.filter(snapshot=snapshot)
    return dict(rows.values_list("player__external_id", "rank"))


def _submission_ids(competition: Competition) -> Counter[str | None]:
    """Count the ids of the game's submissions."""
    rows = Submission.objects.filter(competition=competition.pk).exclude(service=JURY)
    return Counter(rows.values_list("external_id", flat=True))


def _late_scores(competition: Competition) -> Counter[tuple[str, int]]:
    """Count player and points of the scores that the jury accepted."""
    rows = Submission.objects.filter(competition=competition.pk, service=JURY)
    return Counter((each.player.external_id, each.points or 0) for each in rows.select_related("player"))


def _written_notices(competition: Competition) -> NoticeCounts:
    rows = Notice.objects.filter(competition=competition).select_related("player", "grant", "grant_before")
    return Counter((each.kind, each.player.external_id, _about(each)) for each in rows)


def _about(notice: Notice) -> str:
    """Return what a notice is about as text: its snapshot, the places, or the reward."""
    if notice.snapshot_id is not None:
        return str(notice.snapshot_id)
    if notice.revision_id is not None:
        return moved(notice.previous_rank, notice.rank)
    if notice.grant_before is not None:
        return moved(notice.grant_before.name, notice.grant and notice.grant.name)
    return notice.grant.name if notice.grant else ""


def _granted(competition: Competition, revoked: bool) -> Counter[tuple[str, str]]:
    """Count the active or the revoked grants."""
    rows = RewardGrant.objects.filter(competition=competition, revoked_at__isnull=not revoked)
    return Counter(rows.values_list("name", "player__external_id"))


def _expected_notices(competition: Competition, record: Record) -> NoticeCounts:
    """Count every expected notice, and the summaries of notices that were deferred through the night."""
    heard = [*_rank_notices(competition, record), *_action_notices(record), *outcomes(record.results, PRIZES)]
    told = Counter((each.kind, each.player, each.about) for each in heard)
    return told + _summaries([(each.player, each.at) for each in heard])


def _rank_notices(competition: Competition, record: Record) -> Iterator[ExpectedNotice]:
    """Yield the rank alerts of the last hours."""
    found = Snapshot.objects.filter(competition=competition)
    looks = [ExpectedSnapshot(each.pk, each.due_at, _ranks(each)) for each in found]
    begins = competition.ends_at - timedelta(hours=competition.alert_hours)
    ends = competition.timeline.freezes_at or competition.ends_at
    last_hours = {look.number: look.due_at for look in looks if begins < look.due_at <= ends}
    for (number, player), kind in notices(looks, last_hours, ALERTS).items():
        if player not in record.gone or last_hours[number] < record.gone[player]:
            yield ExpectedNotice(kind, player, str(number), last_hours[number])


def _action_notices(record: Record) -> Iterator[ExpectedNotice]:
    """Yield the notices of the moved end, of disqualified and reinstated players, and of judged scores."""
    if record.moved_at is not None:
        yield from (ExpectedNotice("extended", player, "", record.moved_at) for player in record.told_of_end)
    yield from (ExpectedNotice("disqualified", player, "", at) for player, at in record.disqualified.items())
    yield from (ExpectedNotice("reinstated", player, "", at) for player, at in record.back.items())
    yield from record.judged


def _summaries(heard: list[tuple[str, datetime]]) -> NoticeCounts:
    wishes = {wish.player.external_id: wish for wish in Preference.objects.select_related("player")}
    nights = Counter((player, _night(wishes[player], at)) for player, at in heard)
    several = [player for (player, night), count in nights.items() if night and count > 1]
    return Counter(("summary", player, "") for player in several)


def _night(wish: Preference, at: datetime) -> str:
    """Return the local date on which the quiet hours around ``at`` end; empty outside of quiet hours."""
    local = at.astimezone(ZoneInfo(wish.timezone or "UTC"))
    if wish.quiet_from == wish.quiet_until or wish.quiet_until <= local.hour < wish.quiet_from:
        return ""
    return f"{local + timedelta(hours=24 - wish.quiet_from):%F}"

"""The quarantine: entries that break a plausibility limit are stored with their id, and recognised when repeated.

Moderators decide elsewhere (``moderation/review_quarantine.py``). The trap: a quarantined id stays taken whatever was
decided. So it is looked up ahead of the ids that counted, also when the board has no limits any more.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Q

from foundation.db.resilience import SqlAway, ask
from foundation.failpoints import failpoint
from foundation.messages import Message
from foundation.webhooks.outbox import enqueue, event_id
from leaderboards.core.input.entries import Entry
from leaderboards.core.instants import from_milliseconds
from leaderboards.core.plausibility import Breach, LimitKind
from leaderboards.core.ranking.policies import StandingState, policy_of
from leaderboards.core.ranking.rules import Update
from leaderboards.errors import Implausible, StorageUnavailable
from leaderboards.models import Board, Decision, Period, QuarantinedEntry
from leaderboards.selectors.catalog.boards import clear_board_cache
from leaderboards.services.submit.duplicates import Targeted, group_by_scope
from leaderboards.services.submit.entry_content import has_same_content, id_reused_error
from leaderboards.services.submit.items import Item
from leaderboards.services.submit.outcomes import EntryDecision, refused

QUARANTINED_WEBHOOK = "score.quarantined"
MAX_REPORTED = 20  # entries that one message names
_WHY = {
    LimitKind.LEAST: Message("It has fewer points than this board takes unseen."),
    LimitKind.MOST: Message("It has more points than this board takes unseen."),
    LimitKind.SUBMISSIONS: Message("The player sent more in a minute than this board takes unseen."),
    LimitKind.POINTS: Message("The player made more points in a minute than this board takes unseen."),
    LimitKind.OWN_JUMP: Message("It is far better than what the player sent before."),
    LimitKind.FIELD_JUMP: Message("It is far better than the first place."),
}
_THEN = {
    "": Message("A moderator will decide; nothing needs to be sent again."),
    Decision.ACCEPTED: Message("A moderator accepted it since: it counts."),
    Decision.VOIDED: Message("A moderator voided it since: it does not count."),
}


class BreachingItem(NamedTuple):
    """An item that breaks a limit, and its player's internal number."""

    item: Item
    player_id: int
    breach: Breach


class IdTaken(Exception):
    """Another request has just quarantined one of these ids: look them up again."""


def implausible_error(rule: str, decision: str = "") -> Implausible:
    """The answer to the entry and to its repetitions. It does not name limits: a cheat would stay below them."""
    return Implausible(rule, Message("%(why)s %(then)s", why=_WHY[LimitKind(rule)], then=_THEN[decision]))


def points_of(item: Item) -> int:
    """The scaled points of an item; 0 on boards of criteria, whose entries are only counted."""
    return item.value[0] if item.period.rules.of_points else 0


def total_of(item: Item, standing: StandingState | None) -> int:
    """The scaled standing after the item: the sum where it is added, else the item's own points."""
    policy = policy_of(item.period.rules, item.entry.operator)
    adds = standing is not None and policy is Update.INCREMENT
    return points_of(item) + (standing.value[0] if standing is not None and adds else 0)


def find_quarantined(targeted: Sequence[Targeted], service: str) -> dict[int, EntryDecision]:
    """The decisions, by position, on entries whose id was quarantined before. Boards without limits need none."""
    candidates = [(entry, board) for entry, board in targeted if entry.external_id is not None and board.may_quarantine]
    if not candidates:
        return {}
    try:
        rows = ask(lambda: _rows_of(candidates, service))
    except SqlAway:  # an id may be quarantined or voided, so nothing may count
        away = refused(StorageUnavailable(Message("The server that stores this board does not answer; try again.")))
        return {entry.position: away for entry, _ in candidates}
    found = {(row.board_id, row.competition, row.external_id): row for row in rows}
    return {
        entry.position: _repeated(entry, row)
        for entry, board in candidates
        if (row := found.get((board.seq, entry.competition or 0, entry.external_id)))
    }


def _rows_of(targeted: Sequence[Targeted], service: str) -> list[QuarantinedEntry]:
    wanted = Q()
    for (seq, competition), entries in group_by_scope(targeted).items():
        wanted |= Q(board=seq, competition=competition, external_id__in=[entry.external_id for entry, _ in entries])
    return list(QuarantinedEntry.objects.filter(wanted, service=service).select_related("period", "player"))


def _repeated(entry: Entry, row: QuarantinedEntry) -> EntryDecision:
    if not has_same_content(entry, row):
        return refused(id_reused_error(entry))
    return refused(implausible_error(row.rule, row.decision))._replace(period=row.period)


def store_quarantined(broken: Sequence[BreachingItem], service: str, at: datetime) -> None:
    """Store breaching items of one period in the caller's transaction. Raises ``IdTaken``: then roll it back."""
    if not broken:
        return
    board = broken[0].item.period.board
    try:
        rows = QuarantinedEntry.objects.bulk_create(_row(each, service, at) for each in broken)
    except IntegrityError as error:
        raise IdTaken from error
    if board.quarantined_at is None:
        Board.objects.filter(pk=board.pk, quarantined_at=None).update(quarantined_at=at)
        transaction.on_commit(clear_board_cache)
    _enqueue_webhook(rows, broken, at)
    failpoint("quarantine.before_commit")


def _row(broken: BreachingItem, service: str, at: datetime) -> QuarantinedEntry:
    item, breach = broken.item, broken.breach
    of_points = item.period.rules.of_points
    return QuarantinedEntry(
        period=item.period,
        board=item.period.board,
        player_id=broken.player_id,
        competition=item.entry.competition or 0,
        points=item.value[0] if of_points else None,
        fields=None if of_points else list(item.value),
        at=from_milliseconds(item.at_ms),
        sent_at=item.entry.at,
        operator=item.entry.operator,
        metadata=item.entry.metadata,
        service=service,
        external_id=item.entry.external_id,
        rule=breach.rule.value,
        observed=breach.observed,
        limit=breach.limit,
        created_at=at,
    )


def _enqueue_webhook(rows: Sequence[QuarantinedEntry], broken: Sequence[BreachingItem], at: datetime) -> None:
    """Enqueue one message for all entries of a request and a period."""
    period = broken[0].item.period
    shown = zip(rows[:MAX_REPORTED], broken, strict=False)
    payload = {
        "board": period.board_id,
        "competition": broken[0].item.entry.competition,
        "period": period.label,
        "count": len(rows),
        "entries": [_shown(row, each.item) for row, each in shown],
    }
    enqueue(QUARANTINED_WEBHOOK, event_id(f"score-quarantined-{rows[0].pk}", at), payload, at)


def _shown(row: QuarantinedEntry, item: Item) -> dict[str, Any]:
    points, fields = item.period.rules.shown(item.value)
    value = {"points": str(points)} if fields is None else {"fields": fields}
    return {"player": item.entry.player, **value, "rule": row.rule, "id": row.external_id}


def quarantined_decision(breach: Breach, period: Period) -> EntryDecision:
    """The decision on an entry that breaks a limit now."""
    return refused(implausible_error(breach.rule))._replace(period=period)

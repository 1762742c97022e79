"""Publish a final result: a new revision each time that its content changes.

A revision is written once, in the transaction of the change that causes it, as a document that anybody can verify
(``core/results.py``). The schedule detects players who were banned or unbanned.
"""

import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TypeVar

from django.db import transaction

from competitions.core.results import CLOSING, TEAMS, ContentHash, joined, opening, with_digits
from competitions.models import Change, Competition, Revision, RevisionPart, VacatedPlaces
from competitions.notice_texts import EXCLUSIONS_CHANGED
from competitions.selectors.results.needs_revision import (
    BANS_COUNT_AFTER,
    finals_with_changed_exclusions,
    finals_without_revision,
)
from competitions.selectors.results.revisions import latest_revision, parts_of
from competitions.selectors.standings.group_columns import PublishedRows
from competitions.services.change_log import queue_webhook
from competitions.services.locks import get_or_open_period, lock_competition
from foundation import clock
from foundation.chunks import in_chunks
from foundation.failpoints import failpoint
from foundation.http.encoding import as_json, when
from foundation.webhooks.outbox import event_id
from foundation.worker.each import for_each
from leaderboards.models import Period
from leaderboards.selectors.exports.period_rows import final_rows
from leaderboards.selectors.visibility.hidden import hidden_now

Shown = TypeVar("Shown")

ROWS_A_PART = 5000
BAN = "ban"  # the webhook's cause of a revision without a change
BUDGET_SECONDS = 4.0  # of each run, so that many due results do not block the worker


def publish_revision(
    competition: Competition, at: datetime, change: Change | None = None, reason: str = ""
) -> Revision:
    """Publish the final result as it is now; returns the new revision, or the latest one if its content did not change.

    Call it in a transaction that has locked the competition, once ``final_at`` is set. ``reason`` is public and
    defaults to the reason of ``change``. Erasing the player whom the change is about blanks it.
    """
    period, last = get_or_open_period(competition), latest_revision(competition)
    excluded_players = hidden_now(period)
    revision = Revision(
        competition=competition,
        number=last.number + 1 if last else 1,
        made_at=at,
        change=change,
        reason=reason or (change.reason if change else ""),
        total=period.players - len(excluded_players),
        excluded_players=sorted(excluded_players),
        previous_hash=last.content_hash if last else "",
    )
    last_hash = _hash_of_rows(last) if last else ""
    if _write_if_changed(revision, period, excluded_players.values(), last_hash) or last is None:
        if not competition.is_hidden(at):
            announce_revision(revision, at)
        return revision
    if last.excluded_players != revision.excluded_players:  # changed, though the shown rows are the same
        last.excluded_players = revision.excluded_players
        last.save(update_fields=["excluded_players"])
    return last


def announce_revision(revision: Revision, at: datetime) -> None:
    """Queue a webhook for a public revision. The first revision has none: ``competition.final`` announces it.

    The webhook has the kind of the change but not the reason, which may name a player. Call it in the transaction that
    publishes or reveals the revision.
    """
    if revision.number > 1:
        queue_webhook(
            revision.competition,
            "revised",
            event_id(f"competition-{revision.competition_id}-revision-{revision.number}", revision.made_at),
            at,
            revision=revision.number,
            content_hash=revision.content_hash,
            previous_hash=revision.previous_hash,
            cause=revision.change.kind if revision.change else BAN,
        )


def publish_due_revisions(at: datetime) -> int:
    """Publish final results without a revision, or whose excluded players have changed, for a few seconds.

    Returns how many revisions were made.
    """
    due = Competition.objects.filter(
        pk__in=[*finals_without_revision(), *finals_with_changed_exclusions(at - BANS_COUNT_AFTER)]
    )
    rows = due.only("pk").order_by("final_at", "pk")
    return sum(for_each(_within_budget(rows), lambda each: _revise_if_due(each, at)))


def _within_budget(rows: Iterable[Competition]) -> Iterator[Competition]:
    """Yield at least one row, then more until the time budget is used."""
    until = clock.monotonic() + BUDGET_SECONDS
    for row in rows:
        yield row
        if clock.monotonic() >= until:
            return


@transaction.atomic
def _revise_if_due(competition: Competition, at: datetime) -> bool:
    """Publish a revision if that is still due under the row lock; returns whether one was made."""
    locked = lock_competition(competition)
    last = latest_revision(locked)
    if locked.final_at is None or (last and last.excluded_players == sorted(hidden_now(get_or_open_period(locked)))):
        return False
    return publish_revision(locked, at, reason=EXCLUSIONS_CHANGED if last else "") != last


@transaction.atomic
def _write_if_changed(revision: Revision, period: Period, excluded_players: Iterable[str], last_hash: str) -> bool:
    """Write a revision with its parts; roll back and return False if its rows have the hash ``last_hash``."""
    is_changed = _write(revision, period, frozenset(excluded_players)) != last_hash
    transaction.set_rollback(not is_changed)  # only of this savepoint
    return is_changed


def _write(revision: Revision, period: Period, excluded_players: frozenset[str]) -> str:
    """Write a revision part by part; returns the hash of its rows."""
    revision.save()
    unsigned = opening(as_json(_head(revision)))
    digest = ContentHash(unsigned)
    for nth, part in enumerate(_rows_and_closing(revision.competition, period, excluded_players), start=1):
        digest.add(part)
        RevisionPart.objects.create(revision=revision, nth=nth, content=zlib.compress(part))
    revision.content_hash = digest.of_document
    first = zlib.compress(with_digits(unsigned, revision.content_hash))
    RevisionPart.objects.create(revision=revision, nth=0, content=first)
    failpoint("revise.before_hash")
    revision.save(update_fields=["content_hash"])
    return digest.of_rows


def _rows_and_closing(competition: Competition, period: Period, excluded_players: frozenset[str]) -> Iterator[bytes]:
    groups = PublishedRows(competition, period.rules)
    rows = final_rows(period, excluded_players, competition.vacated_places == VacatedPlaces.STAY_EMPTY)
    yield from _parts(groups.shown(several) for several in in_chunks(rows, ROWS_A_PART))
    teams = groups.teams()
    if teams is not None:
        yield TEAMS
        yield from _parts(in_chunks(teams, ROWS_A_PART))
    yield CLOSING


def _parts(several: Iterable[list[dict[str, Any]]]) -> Iterator[bytes]:
    return joined([as_json(each) for each in rows] for rows in several)


def _hash_of_rows(revision: Revision) -> str:
    stored = parts_of(revision)
    digest = ContentHash(next(stored))
    for part in stored:
        digest.add(part)
    return digest.of_rows


def _head(revision: Revision) -> dict[str, Any]:
    competition = revision.competition
    assert competition.final_at is not None  # noqa: S101 - for the type checker: only finals have a result
    return {
        "revision": revision.number,
        "previous_hash": revision.previous_hash,
        "made_at": when(revision.made_at),
        "reason": revision.reason,
        "competition": {
            "id": competition.pk,
            "name": competition.name,
            "board": competition.board_id,
            "starts_at": when(competition.starts_at),
            "ends_at": when(competition.ends_at),
        },
        "final_at": when(competition.final_at),
        "total": revision.total,
    }

"""Published results: their revisions, and the stored bytes of one.

A result that a freeze hides has no public revisions. The trap: a slow download must not keep a transaction open. So
parts are read one by one, and each query checks that the revision was not rewritten meanwhile.
"""

import zlib
from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import Max

from competitions.errors import NotFinal, UnknownRevision
from competitions.models import Competition, Revision, RevisionPart, VacatedPlaces
from foundation.errors import Unavailable
from foundation.messages import Message
from leaderboards.models import Period, Player
from leaderboards.selectors.exports.period_rows import Finalist, final_ranking
from leaderboards.selectors.visibility.hidden import hidden_now, shadowed_in
from leaderboards.selectors.visibility.restrictions import current_viewer

LARGEST_NUMBER = 2**31 - 1


def public_revisions(competition: Competition, at: datetime) -> list[Revision]:
    """Return the public revisions, earliest first; empty while there is no result or it is hidden.

    For a shadowed viewer, the totals include themselves, as their own view of the ranking does.
    """
    if competition.final_at is None or competition.is_hidden(at):
        return []
    revisions = list(competition.revisions.order_by("number"))
    viewer = _shadowed_viewer(competition)
    for revision in revisions:
        revision.total += viewer in revision.excluded_players
    return revisions


def _shadowed_viewer(competition: Competition) -> int | None:
    """Return the number of the viewing player, if only a shadow ban excludes them from the competition."""
    viewer = current_viewer()
    if viewer is None:
        return None
    periods = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board")
    if not any(viewer in shadowed_in(period) for period in periods):
        return None
    return Player.objects.filter(external_id=viewer).values_list("pk", flat=True).first()


def latest_numbers(competitions: Collection[int]) -> dict[int, int]:
    """Return competition → number of its latest revision, hidden or not; without competitions that have none."""
    rows = Revision.objects.filter(competition__in=competitions).order_by()
    return dict(rows.values_list("competition").annotate(Max("number")))


def latest_revision(competition: Competition) -> Revision | None:
    """Return the latest revision, hidden or not."""
    return competition.revisions.order_by("number").last()


def is_outdated(revision: Revision) -> bool:
    """Whether the excluded players have changed since the latest revision, so that the next one is due."""
    competition = revision.competition
    period = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board").first()
    return period is not None and sorted(hidden_now(period)) != revision.excluded_players


def published_ranking(revision: Revision, period: Period) -> Iterator[tuple[int, Finalist]]:
    """Yield the final standings in the latest revision with their published ranks, best first.

    It matches the published document, not later bans or unbans: whatever is derived from a result uses this.
    """
    stay_empty = revision.competition.vacated_places == VacatedPlaces.STAY_EMPTY
    return final_ranking(period, revision.excluded_players, stay_empty)


def public_revision(competition: Competition, at: datetime, number: int | None = None) -> Revision:
    """Return the revision of this number, or the latest. Raises ``NotFinal`` or ``UnknownRevision``.

    Raises ``Unavailable`` if the latest is asked for and is outdated, because it may show a player who is hidden now.
    """
    if competition.final_at is None or competition.is_hidden(at):
        raise NotFinal(Message("This competition has no final result yet."))
    last = latest_revision(competition)
    if last is None:
        raise NotFinal(Message("The result is final and is being published: ask again in a few seconds."))
    if number is None and is_outdated(last):
        raise Unavailable(
            Message(
                "The result is being worked out again: ask again in some seconds. Revision %(last)s stays readable.",
                last=last.number,
            )
        )
    if number is None or number == last.number:
        return last
    revision = competition.revisions.filter(number=number).first() if 0 < number <= LARGEST_NUMBER else None
    if revision is None:
        raise UnknownRevision(
            Message(
                "There is no revision %(number)s: this result has revisions 1 to %(last)s.",
                number=number,
                last=last.number,
            )
        )
    return revision


def parts_of(revision: Revision) -> Iterator[bytes]:
    """Yield the stored document in parts. Raises ``Unavailable`` if an erasure rewrites it meanwhile."""
    unchanged_parts = RevisionPart.objects.filter(revision=revision.pk, revision__content_hash=revision.content_hash)
    stored = RevisionPart.objects.filter(revision=revision.pk).count()
    for nth in range(stored):
        content = unchanged_parts.filter(nth=nth).values_list("content", flat=True).first()
        if content is None:
            raise Unavailable(Message("The result is being written anew: ask for it again."))
        yield unpacked(content)


def unpacked(content: bytes | memoryview) -> bytes:
    """Decompress a stored part."""
    return zlib.decompress(bytes(content))

"""Published results: which revisions there are, and the stored bytes of one.

While a freeze hides a result there is none. The trap: anybody who reads slowly must hold nothing open, so parts are
read one after another, each with a question whether the revision is still the one that was begun.
"""

import zlib
from collections.abc import Collection, Iterator
from datetime import datetime

from django.db.models import Max

from competitions.errors import NotFinal, UnknownRevision
from competitions.models import Competition, Revision, RevisionPart, VacatedPlaces
from foundation.errors import Unavailable
from leaderboards.models import Period, Player
from leaderboards.selectors.exports.period_rows import Finalist, final_ranking
from leaderboards.selectors.visibility.hidden import hidden_now, shadowed_in
from leaderboards.selectors.visibility.restrictions import current_viewer

LARGEST_NUMBER = 2**31 - 1


def public_revisions(competition: Competition, at: datetime) -> list[Revision]:
    """All of them as the public may see them, the earliest first; none while there is no result or it is hidden.

    To the shadowed, on their own page, each total says what their ranking there shows: with themselves.
    """
    if competition.final_at is None or competition.is_hidden(at):
        return []
    found = list(competition.revisions.order_by("number"))
    own = _shadowed_viewer(competition)
    for revision in found:
        revision.total += own in revision.excluded_players
    return found


def _shadowed_viewer(competition: Competition) -> int | None:
    """The number of the player for whom this is read, if a shadow alone keeps them out of the competition."""
    own = current_viewer()
    if own is None:
        return None
    periods = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board")
    if not any(own in shadowed_in(period) for period in periods):
        return None
    return Player.objects.filter(external_id=own).values_list("pk", flat=True).first()


def latest_numbers(competitions: Collection[int]) -> dict[int, int]:
    """The number of the latest revision of each of these competitions (by number), hidden or not; those without a
    published result are left out."""
    rows = Revision.objects.filter(competition__in=competitions).order_by()
    return dict(rows.values_list("competition").annotate(Max("number")))


def latest_revision(competition: Competition) -> Revision | None:
    """The revision that holds now, whether it is hidden or not."""
    return competition.revisions.order_by("number").last()


def is_outdated(revision: Revision) -> bool:
    """Whether the latest revision names somebody who is not shown any more, or lacks somebody who is again: for the
    seconds until the schedule has published the next."""
    competition = revision.competition
    period = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board").first()
    return period is not None and sorted(hidden_now(period)) != revision.excluded_players


def published_ranking(revision: Revision, period: Period) -> Iterator[tuple[int, Finalist]]:
    """The final standings of the period that the latest revision shows, best first, each with its published rank.

    Anybody who is banned or let in again since is in it as they are in the document: what follows a result asks here.
    """
    stay_empty = revision.competition.vacated_places == VacatedPlaces.STAY_EMPTY
    return final_ranking(period, revision.excluded_players, stay_empty)


def public_revision(competition: Competition, at: datetime, number: int | None = None) -> Revision:
    """The revision of this number, or the latest. Raises ``NotFinal`` or ``UnknownRevision``, and ``Unavailable`` where
    the latest is asked for and is about to be another: who is not shown is in no answer that says how it is now."""
    if competition.final_at is None or competition.is_hidden(at):
        raise NotFinal("This competition has no final result yet.")
    last = latest_revision(competition)
    if last is None:
        raise NotFinal("The result is final and is being published: ask again in a few seconds.")
    if number is None and is_outdated(last):
        raise Unavailable(
            f"The result is being worked out again: ask again in some seconds. Revision {last.number} stays readable."
        )
    if number is None or number == last.number:
        return last
    found = competition.revisions.filter(number=number).first() if 0 < number <= LARGEST_NUMBER else None
    if found is None:
        raise UnknownRevision(f"There is no revision {number}: this result has revisions 1 to {last.number}.")
    return found


def parts_of(revision: Revision) -> Iterator[bytes]:
    """The stored document in parts. Raises ``Unavailable`` where an erasure writes it anew meanwhile."""
    of_same = RevisionPart.objects.filter(revision=revision.pk, revision__content_hash=revision.content_hash)
    stored = RevisionPart.objects.filter(revision=revision.pk).count()
    for nth in range(stored):
        content = of_same.filter(nth=nth).values_list("content", flat=True).first()
        if content is None:
            raise Unavailable("The result is being written anew: ask for it again.")
        yield unpacked(content)


def unpacked(content: bytes | memoryview) -> bytes:
    """A stored part as it was published."""
    return zlib.decompress(bytes(content))

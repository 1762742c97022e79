"""What scoring asks about competitions: the answer to the port ``leaderboards.services.events``.

The trap: an entry that comes after the freeze must not precede the public copy. Anybody who asks for a competition is
told that its freeze is due, and writes nothing; anybody who then applies an entry has it frozen first.
"""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from competitions.models import Competition, Participant, VacatedPlaces
from competitions.selectors.competitions import competition_by_id, competitions_by_id
from competitions.services.lifecycle.freeze import freeze_if_due, is_due
from competitions.services.preview_ban import if_banned
from competitions.services.results.accept_quarantined import accept_quarantined
from competitions.services.results.judge import unvoid, void
from foundation.db.resilience import CONNECTION_ERRORS, StaleIfErrorCache
from foundation.errors import SunwiError, Unavailable
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import QuarantinedEntry, Submission
from leaderboards.services.events import BanPreview, Event

Pair = tuple[int, str]


def _load(pairs: Collection[Pair]) -> dict[Pair, datetime]:
    found = Participant.objects.filter(
        Participant.TAKING_PART,
        competition__in={number for number, _ in pairs},
        player__external_id__in={player for _, player in pairs},
    )
    rows = found.values_list("competition_id", "player__external_id", "joined_at")
    return {(number, player): joined_at for number, player, joined_at in rows}


_taking_part: StaleIfErrorCache[Pair, datetime] = StaleIfErrorCache(_load)


_LABEL = re.compile(r"c([0-9]+)(?:-frozen)?")


def excluded_players(label: str) -> list[int]:
    """The internal numbers of those who are disqualified now, in an event and in the copy of its freeze alike."""
    found = _LABEL.fullmatch(label)
    if found is None:
        return []
    out = Participant.objects.filter(competition=int(found[1]), disqualified_at__isnull=False)
    return list(out.values_list("player_id", flat=True))


def keeps_places(label: str) -> bool:
    """Whether the places of those who are left out of an event, or of the copy of its freeze, stay empty."""
    found = _LABEL.fullmatch(label)
    if found is None:
        return False
    return Competition.objects.filter(pk=int(found[1]), vacated_places=VacatedPlaces.STAY_EMPTY).exists()


class CompetitionEvents:
    """The competitions that scoring may name. Drafts are unknown to it."""

    def named(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        """The events of these numbers; a cancelled one is its refusal."""
        return {number: _event(found, at) for number, found in competitions_by_id(numbers).items()}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        """The names of these competitions."""
        return dict(Competition.objects.filter(pk__in=numbers).order_by().values_list("pk", "name"))

    def joined(self, pairs: Collection[Pair]) -> Mapping[Pair, datetime]:
        """Of the pairs (competition, player) those that take part now, each with when the player last joined."""
        return _taking_part.get_many(pairs)

    def gone(self, number: int) -> Collection[int]:
        """The internal numbers of the players who joined and have left."""
        players = Participant.objects.filter(competition=number, left_at__isnull=False)
        return list(players.values_list("player_id", flat=True))

    def freeze(self, number: int, at: datetime) -> None:
        """Make the public copy if it is due and nobody has. Raises ``StorageUnavailable`` where it cannot be made."""
        try:
            freeze_if_due(competition_by_id(number), at)
        except (Unavailable, *CONNECTION_ERRORS) as error:
            raise StorageUnavailable(
                "The standings cannot be frozen now, and nothing may come before; try again."
            ) from error

    def if_banned(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        """What leaving these players out would come to in competitions, or showing them again."""
        return if_banned(players, banned=banned, board=board)

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
        """Void a submission of a competition; False if the jury did before. Raises what ``judge.void`` does."""
        return void(competition_by_id(submission.competition), submission, reason, at, by) is not None

    def unvoid(
        self,
        submission: Submission,
        reason: str,
        at: datetime,
        by: AbstractBaseUser | None,
        *,
        purge: int | None = None,
    ) -> bool:
        """Restore a voided submission of a competition; False if it counts, or ``purge`` is given and has it void no
        more. Raises what ``judge.unvoid`` does."""
        return unvoid(competition_by_id(submission.competition), submission, reason, at, by, purge=purge) is not None

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
        """Take a quarantined entry of a closed competition; raises what ``accept_quarantined`` does."""
        accept_quarantined(competition_by_id(entry.competition), entry, reason, at, by)


def _event(competition: Competition, at: datetime) -> Event | SunwiError:
    if competition.cancelled_at is not None:
        return PeriodClosed("The competition was cancelled.")
    return Event(
        number=competition.pk,
        board=competition.board,
        window=competition.window,
        attempts=competition.attempts,
        hides_ranks=competition.is_hidden(at),
        freeze_due=is_due(competition, at),
    )

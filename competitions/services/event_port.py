"""Competitions for the scoring services: implements the port ``leaderboards.services.events``.

The trap: a score that arrives after the time of the freeze must not be applied before the public copy is made.
``named`` only reports that a freeze is due (``freeze_due``); the caller calls ``freeze`` before it applies the score.
"""

import re
from collections.abc import Collection, Mapping
from datetime import datetime

from django.contrib.auth.models import AbstractBaseUser

from competitions.models import Competition, Participant, VacatedPlaces
from competitions.selectors.competitions import competition_by_id, competitions_by_id
from competitions.services.lifecycle.freeze import freeze_if_due, is_due
from competitions.services.preview_ban import preview_ban
from competitions.services.results.accept_quarantined import accept_quarantined
from competitions.services.results.judge import unvoid, void
from foundation.db.resilience import CONNECTION_ERRORS, StaleIfErrorCache
from foundation.errors import SunwiError, Unavailable
from foundation.messages import Message
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import QuarantinedEntry, Submission
from leaderboards.services.events import BanPreview, Event

Pair = tuple[int, str]


def _read_joined_at(pairs: Collection[Pair]) -> dict[Pair, datetime]:
    participants = Participant.objects.filter(
        Participant.TAKING_PART,
        competition__in={number for number, _ in pairs},
        player__external_id__in={player for _, player in pairs},
    )
    rows = participants.values_list("competition_id", "player__external_id", "joined_at")
    return {(number, player): joined_at for number, player, joined_at in rows}


_joined_at: StaleIfErrorCache[Pair, datetime] = StaleIfErrorCache(_read_joined_at)

_LABEL = re.compile(r"c([0-9]+)(?:-frozen)?")


def excluded_players(label: str) -> list[int]:
    """Return the internal numbers of the disqualified players of an event's period or of its frozen copy."""
    match = _LABEL.fullmatch(label)
    if match is None:
        return []
    disqualified = Participant.objects.filter(competition=int(match[1]), disqualified_at__isnull=False)
    return list(disqualified.values_list("player_id", flat=True))


def keeps_places(label: str) -> bool:
    """Whether the places of excluded players stay empty in an event's period or in its frozen copy."""
    match = _LABEL.fullmatch(label)
    if match is None:
        return False
    return Competition.objects.filter(pk=int(match[1]), vacated_places=VacatedPlaces.STAY_EMPTY).exists()


class CompetitionEvents:
    """The competitions that a score may name. Drafts are unknown."""

    def find_events(self, numbers: Collection[int], at: datetime) -> Mapping[int, Event | SunwiError]:
        """Return the events of these numbers; for a cancelled one, the error that refuses its scores."""
        competitions = competitions_by_id(numbers)
        return {number: _event(competition, at) for number, competition in competitions.items()}

    def names(self, numbers: Collection[int]) -> Mapping[int, str]:
        """Return the names of these competitions."""
        return dict(Competition.objects.filter(pk__in=numbers).order_by().values_list("pk", "name"))

    def joined_times(self, pairs: Collection[Pair]) -> Mapping[Pair, datetime]:
        """Return when each player last joined, for the (competition, player) pairs that take part now."""
        return _joined_at.get_many(pairs)

    def players_who_left(self, number: int) -> Collection[int]:
        """Return the internal numbers of the players who joined and have left."""
        players = Participant.objects.filter(competition=number, left_at__isnull=False)
        return list(players.values_list("player_id", flat=True))

    def freeze(self, number: int, at: datetime) -> None:
        """Make the frozen copy if it is due and missing. Raises ``StorageUnavailable`` if it cannot be made now."""
        try:
            freeze_if_due(competition_by_id(number), at)
        except (Unavailable, *CONNECTION_ERRORS) as error:
            raise StorageUnavailable(
                Message("The standings cannot be frozen now, and nothing may come before; try again.")
            ) from error

    def preview_ban(self, players: Collection[int], *, banned: bool, board: int | None = None) -> BanPreview:
        """Preview what excluding these players, or showing them again, would change in competitions."""
        return preview_ban(players, banned=banned, board=board)

    def void(self, submission: Submission, reason: str, at: datetime, by: AbstractBaseUser | None) -> bool:
        """Void a submission of a competition; False if it was void already. Raises what ``judge.void`` does."""
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
        """Restore a voided submission of a competition. Raises what ``judge.unvoid`` does.

        Returns False if it counts already, or if ``purge`` is given and is not what voids it.
        """
        return unvoid(competition_by_id(submission.competition), submission, reason, at, by, purge=purge) is not None

    def accept_late(self, entry: QuarantinedEntry, reason: str, at: datetime, by: AbstractBaseUser | None) -> None:
        """Accept a quarantined entry of a closed competition. Raises what ``accept_quarantined`` does."""
        accept_quarantined(competition_by_id(entry.competition), entry, reason, at, by)


def _event(competition: Competition, at: datetime) -> Event | SunwiError:
    if competition.cancelled_at is not None:
        return PeriodClosed(Message("The competition was cancelled."))
    return Event(
        number=competition.pk,
        board=competition.board,
        window=competition.window,
        attempts=competition.attempts,
        hides_ranks=competition.is_hidden(at),
        freeze_due=is_due(competition, at),
    )

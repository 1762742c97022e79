"""The mirror of boards that Redis decides over: SQL follows within a second (``foundation/sync/mirroring.py``)."""

from collections.abc import Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _

from foundation import clock, redis
from foundation.dead_letters import Work
from foundation.models import DeadLetter
from foundation.statements import Statements
from foundation.sync import barrier
from foundation.sync.mirroring import RUN_SECONDS, Copied, Mirror, mirror_each
from leaderboards.errors import PeriodClosed, StorageUnavailable
from leaderboards.models import Period, State, Storage
from leaderboards.selectors.lag import MIRROR
from leaderboards.stores.sql_writes import StandingRow, player_numbers, write_standings
from leaderboards.stores.zset_settling import ALL, Dirty, ZsetSettler
from leaderboards.stores.zset_writes import state_from

DEAD = "mirror"


class PeriodMirror(Mirror[Dirty]):
    """Copying the standings of one period."""

    name = "mirror"
    dead = DEAD
    chunk = 5000  # to commit takes as long as to write a few hundred

    def __init__(self, period: Period) -> None:
        self._period = period
        self._settler = ZsetSettler(redis.boards())

    def dirty(self, limit: int) -> tuple[int, Sequence[Dirty]]:
        """How many standings SQL lacks, and some of them."""
        return self._settler.dirty(self._period, limit)

    def hold(self) -> bool:
        """Keep out whoever settles or closes."""
        barrier.hold_shared(self._period.pk)
        self._period.refresh_from_db(fields=["generation", "stale_since", "state", "ends_at"])
        return self._period.stale_since is None

    def write(self, rows: Sequence[Dirty]) -> None:
        """Write those that are newer, and the players that SQL does not know."""
        numbers = player_numbers([row.player for row in rows], clock.now())
        standings = [_standing_row(self._period, numbers[row.player], row) for row in rows]
        standings.sort(key=attrgetter("player_id"))
        write_standings(Statements(), self._period, standings, only_newer=True)

    def clean(self, rows: Sequence[Dirty]) -> None:
        """Take off the marks that are of the version copied."""
        self._settler.clean(self._period, rows)

    def subject(self, row: Dirty) -> str:
        """Period and player."""
        return _subject(self._period, row.player)

    def payload(self, row: Dirty) -> dict[str, Any]:
        """The score as it is packed."""
        return {"period": self._period.pk, "player": row.player, "version": row.version, "score": row.score}


def mirror_all(seconds: float = RUN_SECONDS) -> int:
    """Copy what is dirty in every living redis period, for so many seconds; returns how many standings were copied."""
    periods = Period.objects.filter(board__storage=Storage.REDIS, state__in=(State.OPEN, State.CLOSING))
    return mirror_each(periods.select_related("board"), _copy_chunk, MIRROR, seconds)


def mirror(period: Period) -> int:
    """Copy everything of one period that is dirty by now. Raises what the link raises."""
    return PeriodMirror(period).copy_all()


def copy_rest(period: Period) -> None:
    """Copy what is dirty, in the transaction of a caller who has locked all writers out. Raises what the link raises.

    Nothing is taken off the dirty marks: whoever comes after a rollback finds them all.
    """
    rest = PeriodMirror(period)
    rest.copy(rest.dirty(ALL)[1])


def buried(period: Period) -> QuerySet[DeadLetter]:
    """The standings of the period that are set aside."""
    return PeriodMirror.set_aside().filter(subject__startswith=_subject(period))


def given_up(period: Period) -> set[str]:
    """The players of the period whose standing somebody has given up in Redis: SQL's is what counts."""
    dropped = PeriodMirror.given_up().filter(subject__startswith=_subject(period))
    return {subject.partition(":")[2] for subject in dropped.values_list("subject", flat=True)}


def is_given_up(period: Period, player: str, version: int) -> bool:
    """Whether somebody has given up a later state of a standing than SQL has, which is of ``version``."""
    return PeriodMirror.is_given_up(_subject(period, player), version)


def living_period(letter: DeadLetter) -> Period:
    """The period of what was set aside. Raises ``PeriodClosed`` or ``StorageUnavailable`` if it cannot be mirrored."""
    period = Period.objects.select_related("board").get(pk=letter.payload["period"])
    if period.state not in (State.OPEN, State.CLOSING):
        raise PeriodClosed(f"Period {period.label} is {period.state}, with what SQL had: drop the letter.")
    if period.stale_since is not None:
        raise StorageUnavailable(f"Period {period.label} is being settled: try again when it is.")
    return period


def retry(letter: DeadLetter, _at: datetime) -> str:
    """Try to mirror again what was set aside; why SQL still refuses it, or nothing. Raises as ``living_period``."""
    period = living_period(letter)
    ZsetSettler(redis.boards()).soil(period, letter.payload["player"])
    return mirror_letter(letter, period)


def mirror_letter(letter: DeadLetter, period: Period) -> str:
    """Mirror the period; why SQL refuses what the letter is about, or nothing. Raises what the link raises."""
    mirror(period)
    letter.refresh_from_db()
    if letter.resolved_at is not None:
        return ""
    living_period(letter)  # one that became stale meanwhile was not mirrored, and the reason is an old one
    return letter.reason


def _dropping() -> str:
    return _("SQL keeps what it has of this standing, and the period closes with that.")


DEAD_WORK = Work(retry, PeriodMirror.drop, _dropping)


def _copy_chunk(period: Period) -> Copied:
    return PeriodMirror(period).copy_chunk()


def _subject(period: Period, player: str = "") -> str:
    return f"{period.pk}:{player}"


def _standing_row(period: Period, player_id: int, row: Dirty) -> StandingRow:
    if row.score is None:
        return StandingRow(player_id, row.player, row.player, None, None, row.version)
    state = state_from(period, row.score, row.member, row.held)
    return StandingRow(player_id, row.player, row.member, state, row.score, row.version)

"""What undoing an entry of the audit log does to ranks, before it is done: the looks of the acts themselves, the other
way round.

Of acts that move no rank (a profile, a comment), and of what the apps above do, nothing is said here. The trap: a look
refuses nothing; whether an act can still be undone is asked as it is undone.
"""

from collections.abc import Callable, Iterable

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.errors import SunwiError
from leaderboards.admin.edit_score import edit_in_words
from leaderboards.admin.purges import unpurged_in_words
from leaderboards.admin.restrictions import comes_back_in_words, goes_in_words
from leaderboards.admin.scores import foretold
from leaderboards.core.policies import State
from leaderboards.models import Player, Purge, Restriction, RestrictionKind, Submission, SubmissionEdit
from leaderboards.refusals import translated
from leaderboards.selectors.foreseen_edit import foresee_edit
from leaderboards.services import edit, judge_quarantine, purge
from leaderboards.services.acts import submission_of
from leaderboards.services.restrict import ACTS, LIFTED, STANDING_HIDDEN, What, what_of
from leaderboards.stores.sql_writes import state_of

Lines = list[str]


def undo_in_words(entry: AuditEntry) -> Lines:
    """Sentences; none where nothing is known to move. What stands in the way of a look is said in its place."""
    look = _LOOKS.get(entry.act)
    try:
        return look(entry) if look is not None else []
    except SunwiError as error:
        return [translated(error.detail)]


def all_bans_in_words(entries: Iterable[AuditEntry]) -> Lines:
    """What undoing all the bans among these entries comes to, counted together; none where there is no ban."""
    keys = [key for entry in entries if entry.act == "player.banned" for key in entry.keys("player")]
    players = list(Player.objects.filter(pk__in=keys).values_list("pk", flat=True))
    return comes_back_in_words(players, What(RestrictionKind.BANNED)) if players else []


def _of_ban(entry: AuditEntry) -> Lines:
    return comes_back_in_words(_players(entry), What(RestrictionKind.BANNED))


def _of_lifted_ban(entry: AuditEntry) -> Lines:
    return goes_in_words(_players(entry), What(RestrictionKind.BANNED))


def _of_restriction(entry: AuditEntry) -> Lines:
    what = _what(entry)
    return comes_back_in_words(_players(entry), what) if what else []


def _of_lifted_restriction(entry: AuditEntry) -> Lines:
    what = _what(entry)
    return goes_in_words(_players(entry), what) if what else []


def _of_void(entry: AuditEntry) -> Lines:
    return [*foretold([submission_of(entry)], restored=True)]


def _of_restoring(entry: AuditEntry) -> Lines:
    return [*foretold([submission_of(entry)], restored=False)] if entry.keys("submission") else []


def _of_edit(entry: AuditEntry) -> Lines:
    found = SubmissionEdit.objects.filter(entry=entry.pk).first()
    rows = Submission.objects.select_related("player", "period__board")
    row = rows.filter(pk=found.submission_id).first() if found else None
    if found is None or row is None:
        return []
    before = State(tuple(found.before), state_of(None, None, row.at).at_ms)
    return edit_in_words(row.period, foresee_edit(row, before))


def _of_purge(entry: AuditEntry) -> Lines:
    found = Purge.objects.filter(pk__in=entry.keys("purge")).first()
    return unpurged_in_words(purge.look_at_undoing(found, clock.agreed())) if found else []


def _players(entry: AuditEntry) -> list[int]:
    return list(Player.objects.filter(pk__in=entry.keys("player")).values_list("pk", flat=True))


def _what(entry: AuditEntry) -> What | None:
    row = Restriction.objects.select_related("board", "period").filter(pk=entry.note.get("restriction")).first()
    return what_of(row) if row else None


_LOOKS: dict[str, Callable[[AuditEntry], Lines]] = {
    "player.banned": _of_ban,
    "player.unbanned": _of_lifted_ban,
    **dict.fromkeys([*ACTS.values(), STANDING_HIDDEN], _of_restriction),
    LIFTED: _of_lifted_restriction,
    "score.voided": _of_void,
    "score.restored": _of_restoring,
    judge_quarantine.ACCEPTED: _of_restoring,
    edit.EDITED: _of_edit,
    purge.PURGED: _of_purge,
}

"""The looks of this app's acts: what undoing each does to ranks, boards and accounts, which is what the act's own page
shows, the other way round. Of acts that move nothing (a profile, a comment), nothing is said."""

import hashlib
from collections.abc import Iterable, Sequence

from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import CHANGED_SINCE, NotUndoable
from leaderboards.admin.edit_score import edit_in_words
from leaderboards.admin.import_undone import import_undone
from leaderboards.admin.purges import unpurged_in_words
from leaderboards.admin.restrictions import comes_back_in_words, goes_in_words
from leaderboards.admin.scores import foretold
from leaderboards.admin.seen import is_as_seen, sealed
from leaderboards.admin.undo_looks import Look, register_look
from leaderboards.core.policies import State
from leaderboards.models import (
    Board,
    ImportRun,
    Period,
    Player,
    Purge,
    Restriction,
    RestrictionKind,
    Submission,
    SubmissionEdit,
)
from leaderboards.selectors.board_change import BoardChange, board_change
from leaderboards.selectors.foreseen_edit import foresee_edit, foresee_standing
from leaderboards.services import edit, judge_quarantine, purge, set_standing
from leaderboards.services.acts import give_settings_back, submission_of
from leaderboards.services.boards import SETTINGS, check_board
from leaderboards.services.imports import acts as imports
from leaderboards.services.link import BY_HAND
from leaderboards.services.link_back import account_before, tells_of_account
from leaderboards.services.restrict import ACTS, LIFTED, STANDING_HIDDEN, What, what_of
from leaderboards.services.set_standing import refuse_unsettable, standing_in_redis, standings_told
from leaderboards.stores.sql_writes import state_of

BOARD_CHANGED = "board.changed"
_BAN = What(RestrictionKind.BANNED)


def all_bans(entries: Iterable[AuditEntry]) -> Look:
    """What undoing all the bans among these entries comes to, counted together; nothing where there is no ban."""
    keys = [key for entry in entries if entry.act == "player.banned" for key in entry.keys("player")]
    players = list(Player.objects.filter(pk__in=keys).values_list("pk", flat=True))
    return Look(tuple(comes_back_in_words(players, _BAN)) if players else ())


def one_board(entries: Sequence[AuditEntry]) -> Look:
    """What undoing these changes of one board comes to, the latest first; what is refused is left out, unless it is all
    there is. Raises ``NotUndoable``, or ``BadBoard`` where the settings are refused by now."""
    numbers = [key for key in entries[0].keys("board") if key.isdecimal()]
    board = Board.objects.filter(pk__in=numbers).first()
    if board is None:
        raise NotUndoable("There is no such board any more, or nothing to give back.")
    if not sum(_goes_back(entry, board) for entry in entries):
        raise NotUndoable(CHANGED_SINCE)
    check_board(board)
    return of_boards(board_change(board, SETTINGS, clock.now()))


def of_boards(*changes: BoardChange, lines: Iterable[str] = ()) -> Look:
    """A look at boards, sealed as a board's own form is."""
    return Look(tuple(lines), changes, sealed(*changes), lambda seal: is_as_seen(seal, *changes))


def _goes_back(entry: AuditEntry, board: Board) -> bool:
    try:
        give_settings_back(entry, board)
    except NotUndoable:
        return False
    return True


def _of_board(entry: AuditEntry) -> Look:
    return one_board([entry])


def _of_setting(entry: AuditEntry) -> Look:
    """The place now and then; what has to be seen is the standing that there is, and the one that there will be."""
    player = Player.objects.filter(pk__in=entry.keys("player")).first()
    period = Period.objects.select_related("board").filter(pk=entry.note.get("period")).first()
    if player is None or period is None:
        return Look()
    refuse_unsettable(period)
    before, after = standings_told(entry)
    now = standing_in_redis(period, player.external_id).state
    if now not in (before, after):
        raise NotUndoable(CHANGED_SINCE)
    seal = hashlib.sha256(repr((entry.pk, now, before)).encode()).hexdigest()
    return Look(tuple(edit_in_words(period, foresee_standing(period, player, before))), (), seal, seal.__eq__)


def _of_account(entry: AuditEntry) -> Look:
    """Who loses the player, and who gets them."""
    player = Player.objects.select_related("user").filter(pk__in=entry.keys("player")).first()
    if player is None or not tells_of_account(entry):
        return Look()
    return Look(tuple(_handed(player, account_before(entry, player))))


def _handed(player: Player, account: User | None) -> Iterable[str]:
    if player.user:
        yield _("%(account)s loses the player.") % {"account": player.user}
    if account:
        yield _("%(account)s has the player.") % {"account": account}
    else:
        yield _("The player belongs to no account until a game links them again.")


def _of_ban(entry: AuditEntry) -> Look:
    return Look(tuple(comes_back_in_words(_players(entry), _BAN)))


def _of_lifted_ban(entry: AuditEntry) -> Look:
    return Look(tuple(goes_in_words(_players(entry), _BAN)))


def _of_restriction(entry: AuditEntry) -> Look:
    what = _what(entry)
    return Look(tuple(comes_back_in_words(_players(entry), what)) if what else ())


def _of_lifted_restriction(entry: AuditEntry) -> Look:
    what = _what(entry)
    return Look(tuple(goes_in_words(_players(entry), what)) if what else ())


def _of_void(entry: AuditEntry) -> Look:
    return Look(tuple(foretold([submission_of(entry)], restored=True)))


def _of_restoring(entry: AuditEntry) -> Look:
    return Look(tuple(foretold([submission_of(entry)], restored=False)) if entry.keys("submission") else ())


def _of_import(entry: AuditEntry) -> Look:
    found = ImportRun.objects.select_related("board").filter(pk__in=entry.keys(imports.SUBJECT)).first()
    if found is None:
        return Look()
    lines, changes = import_undone(found, clock.now())
    return of_boards(*changes, lines=lines) if changes else Look(tuple(lines))


def _of_edit(entry: AuditEntry) -> Look:
    found = SubmissionEdit.objects.filter(entry=entry.pk).first()
    rows = Submission.objects.select_related("player", "period__board")
    row = rows.filter(pk=found.submission_id).first() if found else None
    if found is None or row is None:
        return Look()
    before = State(tuple(found.before), state_of(None, None, row.at).at_ms)
    return Look(tuple(edit_in_words(row.period, foresee_edit(row, before))))


def _of_purge(entry: AuditEntry) -> Look:
    found = Purge.objects.filter(pk__in=entry.keys("purge")).first()
    return Look(tuple(unpurged_in_words(purge.look_at_undoing(found, clock.agreed()))) if found else ())


def _players(entry: AuditEntry) -> list[int]:
    return list(Player.objects.filter(pk__in=entry.keys("player")).values_list("pk", flat=True))


def _what(entry: AuditEntry) -> What | None:
    row = Restriction.objects.select_related("board", "period").filter(pk=entry.note.get("restriction")).first()
    return what_of(row) if row else None


register_look("player.banned", _of_ban)
register_look("player.unbanned", _of_lifted_ban)
for _act in (*ACTS.values(), STANDING_HIDDEN):
    register_look(_act, _of_restriction)
register_look(LIFTED, _of_lifted_restriction)
register_look("score.voided", _of_void)
register_look("score.restored", _of_restoring)
register_look(judge_quarantine.ACCEPTED, _of_restoring)
register_look(edit.EDITED, _of_edit)
register_look(purge.PURGED, _of_purge)
register_look(set_standing.SET, _of_setting, sealed=True)
register_look(BOARD_CHANGED, _of_board, sealed=True)
register_look(imports.CONFIRMED, _of_import, sealed=True)
register_look(BY_HAND, _of_account)
register_look("player.changed", _of_account)

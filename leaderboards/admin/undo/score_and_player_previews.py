"""Previews of undoing this app's actions: their effects on ranks, boards and accounts.

Each shows what the page of the opposite action shows. Actions without effects on ranks (a profile) have no preview.
"""

import hashlib
from collections.abc import Iterable, Sequence

from django.utils.translation import gettext as _

from foundation import clock
from foundation.audit.models import AuditEntry
from foundation.audit.undo import CHANGED_SINCE, NotUndoable
from foundation.messages import Message
from foundation.users import User
from leaderboards.admin.boards.preview_seal import matches_seal, sealed
from leaderboards.admin.imports.undo_preview import preview_import_undo
from leaderboards.admin.moderation.purge_admin import purge_undo_preview_lines
from leaderboards.admin.moderation.restriction_pages import lift_preview_lines, restrict_preview_lines
from leaderboards.admin.scores.edit_pages import edit_preview_lines
from leaderboards.admin.scores.submission_admin import void_preview_lines
from leaderboards.admin.undo.previews import UndoPreview, register_undo_preview
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
from leaderboards.selectors.previews.board_change import BoardChange, board_change
from leaderboards.selectors.previews.edits import preview_edit, preview_standing
from leaderboards.services.audit_actions import restore_settings, submission_of
from leaderboards.services.boards import SETTINGS, check_board
from leaderboards.services.imports import actions as imports
from leaderboards.services.moderation import edit, purge, review_quarantine, set_standing
from leaderboards.services.moderation.restrict import ACTIONS, LIFTED, STANDING_HIDDEN, RestrictionScope, scope_of
from leaderboards.services.moderation.set_standing import (
    refuse_if_not_settable,
    standing_in_redis,
    standings_before_and_after,
)
from leaderboards.services.players.link import ACCOUNT_CHANGED
from leaderboards.services.players.restore_link import account_before, mentions_account
from leaderboards.stores.sql.writes import submission_state

BOARD_CHANGED = "board.changed"
_BAN = RestrictionScope(RestrictionKind.BANNED)


def preview_undo_of_bans(entries: Iterable[AuditEntry]) -> UndoPreview:
    """Preview undoing all bans among these entries together; empty without a ban."""
    keys = [key for entry in entries if entry.act == "player.banned" for key in entry.keys("player")]
    players = list(Player.objects.filter(pk__in=keys).values_list("pk", flat=True))
    return UndoPreview(tuple(lift_preview_lines(players, _BAN)) if players else ())


def preview_undo_of_board(entries: Sequence[AuditEntry]) -> UndoPreview:
    """Preview undoing these changes of one board, the latest first; entries that would be refused are left out.

    Raises ``NotUndoable`` if all would be refused, and ``BadBoard`` if the old settings are invalid now.
    """
    numbers = [key for key in entries[0].keys("board") if key.isdecimal()]
    board = Board.objects.filter(pk__in=numbers).first()
    if board is None:
        raise NotUndoable(Message("There is no such board any more, or nothing to give back."))
    restored = [_restore_settings_if_possible(entry, board) for entry in entries]
    if not any(restored):
        raise NotUndoable(CHANGED_SINCE)
    check_board(board)
    return sealed_board_preview(board_change(board, SETTINGS, clock.now()))


def sealed_board_preview(*changes: BoardChange, lines: Iterable[str] = ()) -> UndoPreview:
    """Build a preview of board changes, with the seal of the board's own form."""
    return UndoPreview(tuple(lines), changes, sealed(*changes), lambda seal: matches_seal(seal, *changes))


def _restore_settings_if_possible(entry: AuditEntry, board: Board) -> bool:
    try:
        restore_settings(entry, board)
    except NotUndoable:
        return False
    return True


def _of_board(entry: AuditEntry) -> UndoPreview:
    return preview_undo_of_board([entry])


def _of_set_standing(entry: AuditEntry) -> UndoPreview:
    """Preview the place now and then; the seal covers the current standing and the restored one."""
    player = Player.objects.filter(pk__in=entry.keys("player")).first()
    period = Period.objects.select_related("board").filter(pk=entry.note.get("period")).first()
    if player is None or period is None:
        return UndoPreview()
    refuse_if_not_settable(period)
    before, after = standings_before_and_after(entry)
    now = standing_in_redis(period, player.external_id).state
    if now not in (before, after):
        raise NotUndoable(CHANGED_SINCE)
    seal = hashlib.sha256(repr((entry.pk, now, before)).encode()).hexdigest()
    return UndoPreview(
        tuple(edit_preview_lines(period, preview_standing(period, player, before))), (), seal, seal.__eq__
    )


def _of_account(entry: AuditEntry) -> UndoPreview:
    """Preview which account loses the player, and which one gets the player."""
    player = Player.objects.select_related("user").filter(pk__in=entry.keys("player")).first()
    if player is None or not mentions_account(entry):
        return UndoPreview()
    return UndoPreview(tuple(_account_lines(player, account_before(entry, player))))


def _account_lines(player: Player, account: User | None) -> Iterable[str]:
    if player.user:
        yield _("%(account)s loses the player.") % {"account": player.user}
    if account:
        yield _("%(account)s has the player.") % {"account": account}
    else:
        yield _("The player belongs to no account until a game links them again.")


def _of_ban(entry: AuditEntry) -> UndoPreview:
    return UndoPreview(tuple(lift_preview_lines(_players(entry), _BAN)))


def _of_lifted_ban(entry: AuditEntry) -> UndoPreview:
    return UndoPreview(tuple(restrict_preview_lines(_players(entry), _BAN)))


def _of_restriction(entry: AuditEntry) -> UndoPreview:
    scope = _scope(entry)
    return UndoPreview(tuple(lift_preview_lines(_players(entry), scope)) if scope else ())


def _of_lifted_restriction(entry: AuditEntry) -> UndoPreview:
    scope = _scope(entry)
    return UndoPreview(tuple(restrict_preview_lines(_players(entry), scope)) if scope else ())


def _of_void(entry: AuditEntry) -> UndoPreview:
    return UndoPreview(tuple(void_preview_lines([submission_of(entry)], restored=True)))


def _of_restored(entry: AuditEntry) -> UndoPreview:
    return UndoPreview(
        tuple(void_preview_lines([submission_of(entry)], restored=False)) if entry.keys("submission") else ()
    )


def _of_import(entry: AuditEntry) -> UndoPreview:
    run = ImportRun.objects.select_related("board").filter(pk__in=entry.keys(imports.SUBJECT)).first()
    if run is None:
        return UndoPreview()
    lines, changes = preview_import_undo(run, clock.now())
    return sealed_board_preview(*changes, lines=lines) if changes else UndoPreview(tuple(lines))


def _of_edit(entry: AuditEntry) -> UndoPreview:
    edited = SubmissionEdit.objects.filter(entry=entry.pk).first()
    rows = Submission.objects.select_related("player", "period__board")
    row = rows.filter(pk=edited.submission_id).first() if edited else None
    if edited is None or row is None:
        return UndoPreview()
    before = submission_state(row)._replace(value=tuple(edited.before))
    return UndoPreview(tuple(edit_preview_lines(row.period, preview_edit(row, before))))


def _of_purge(entry: AuditEntry) -> UndoPreview:
    row = Purge.objects.filter(pk__in=entry.keys("purge")).first()
    if row is None:
        return UndoPreview()
    return UndoPreview(tuple(purge_undo_preview_lines(purge.purge_undo_preview(row, clock.trusted_now()))))


def _players(entry: AuditEntry) -> list[int]:
    return list(Player.objects.filter(pk__in=entry.keys("player")).values_list("pk", flat=True))


def _scope(entry: AuditEntry) -> RestrictionScope | None:
    row = Restriction.objects.select_related("board", "period").filter(pk=entry.note.get("restriction")).first()
    return scope_of(row) if row else None


register_undo_preview("player.banned", _of_ban)
register_undo_preview("player.unbanned", _of_lifted_ban)
for _act in (*ACTIONS.values(), STANDING_HIDDEN):
    register_undo_preview(_act, _of_restriction)
register_undo_preview(LIFTED, _of_lifted_restriction)
register_undo_preview("score.voided", _of_void)
register_undo_preview("score.restored", _of_restored)
register_undo_preview(review_quarantine.ACCEPTED, _of_restored)
register_undo_preview(edit.EDITED, _of_edit)
register_undo_preview(purge.PURGED, _of_purge)
register_undo_preview(set_standing.SET, _of_set_standing, sealed=True)
register_undo_preview(BOARD_CHANGED, _of_board, sealed=True)
register_undo_preview(imports.CONFIRMED, _of_import, sealed=True)
register_undo_preview(ACCOUNT_CHANGED, _of_account)
register_undo_preview("player.changed", _of_account)

"""Preview undoing an import of each kind, as far as it can be computed at once."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards.admin.moderation.purge_admin import purge_preview_lines
from leaderboards.admin.scores.submission_admin import MOST_PREVIEWED, void_preview_lines
from leaderboards.import_errors import ImportNotUndoable
from leaderboards.models import ImportKind, ImportRun, PeriodState
from leaderboards.selectors.previews.board_change import BoardChange
from leaderboards.services.imports import actions, boards, preview_undo


def preview_import_undo(run: ImportRun, at: datetime) -> tuple[list[str], list[BoardChange]]:
    """Return sentences, and the changes of boards. Raises ``ImportNotUndoable`` or ``BadBoard``."""
    if refusal := actions.why_not_undoable(run):
        raise ImportNotUndoable(refusal)
    if run.kind == ImportKind.BOARDS:
        text = _("Sets all boards back, or none if one was changed since; new boards go if nobody has played on them.")
        return [text], boards.preview_undo(run, at)
    if run.kind == ImportKind.PLAYERS:
        text = _(
            "Sets profiles back that nobody has changed since, and removes the players that it made, unless anything "
            "refers to them."
        )
        return [text, *_player_lines(run)], []
    text = _(
        "Voids exactly the scores that this import made; those of closed periods stay. Who had a score of their own "
        "falls back to it."
    )
    return [text, *_score_lines(run)], []


def _score_lines(run: ImportRun) -> list[str]:
    """Describe the voided scores, player by player if they are few, and the rank changes."""
    imported = actions.submissions_of_run(run).filter(
        preview_undo.number_range(run), voided_at=None, period__state=PeriodState.OPEN
    )
    rows = list(imported.select_related("player", "board", "period__board").order_by("pk")[: MOST_PREVIEWED + 1])
    if len(rows) <= MOST_PREVIEWED:
        return [*void_preview_lines(rows, restored=False)]
    return purge_preview_lines(preview_undo.preview_scores(run))


def _player_lines(run: ImportRun) -> list[str]:
    """Describe how many profiles are set back, and how many players are removed and stay."""
    preview = preview_undo.preview_players(run)
    if preview is None:
        return [_("There are too many players to say here who of them stays.")]
    set_back = ngettext("%(number)s profile is set back.", "%(number)s profiles are set back.", preview.set_back)
    removed = ngettext("%(number)s player is removed.", "%(number)s players are removed.", preview.removed)
    stay = ngettext(
        "%(number)s player stays: somebody changed them since, or something refers to them.",
        "%(number)s players stay: somebody changed them since, or something refers to them.",
        preview.stay,
    )
    lines = ((set_back, preview.set_back), (removed, preview.removed), (stay, preview.stay))
    return [text % {"number": f"{number:,}"} for text, number in lines]

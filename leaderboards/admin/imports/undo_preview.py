"""What undoing an import comes to, before it is done: as far as it can be told at once, of each kind of import."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards.admin.moderation.purge_admin import purge_preview_lines
from leaderboards.admin.scores.submission_admin import MOST_PREVIEWED, void_preview_lines
from leaderboards.errors import ImportNotUndoable
from leaderboards.models import ImportKind, ImportRun, PeriodState
from leaderboards.selectors.previews.board_change import BoardChange
from leaderboards.services.imports import actions, boards, preview_undo


def preview_import_undo(run: ImportRun, at: datetime) -> tuple[list[str], list[BoardChange]]:
    """Sentences, and what changes on the boards that are set back. Raises ``ImportNotUndoable`` or ``BadBoard``."""
    if why := actions.why_not_undoable(run):
        raise ImportNotUndoable(why)
    if run.kind == ImportKind.BOARDS:
        said = _("Sets all boards back, or none if one was changed since; new boards go if nobody has played on them.")
        return [said], boards.preview_undo(run, at)
    if run.kind == ImportKind.PLAYERS:
        said = _(
            "Sets profiles back that nobody has changed since, and removes the players that it made, unless anything "
            "refers to them."
        )
        return [said, *_players(run)], []
    said = _(
        "Voids exactly the scores that this import made; those of closed periods stay. Who had a score of their own "
        "falls back to it."
    )
    return [said, *_ranks(run)], []


def _ranks(run: ImportRun) -> list[str]:
    """A line for each player where the scores are few, else how many; and what all ranks do."""
    made = actions.submissions_of_run(run).filter(
        preview_undo.number_range(run), voided_at=None, period__state=PeriodState.OPEN
    )
    rows = list(made.select_related("player", "board", "period__board").order_by("pk")[: MOST_PREVIEWED + 1])
    if len(rows) <= MOST_PREVIEWED:
        return [*void_preview_lines(rows, restored=False)]
    return purge_preview_lines(preview_undo.preview_scores(run))


def _players(run: ImportRun) -> list[str]:
    """How many go back, go, and stay."""
    found = preview_undo.preview_players(run)
    if found is None:
        return [_("There are too many players to say here who of them stays.")]
    set_back = ngettext("%(number)s profile is set back.", "%(number)s profiles are set back.", found.set_back)
    removed = ngettext("%(number)s player is removed.", "%(number)s players are removed.", found.removed)
    stay = ngettext(
        "%(number)s player stays: somebody changed them since, or something refers to them.",
        "%(number)s players stay: somebody changed them since, or something refers to them.",
        found.stay,
    )
    said = ((set_back, found.set_back), (removed, found.removed), (stay, found.stay))
    return [words % {"number": f"{number:,}"} for words, number in said]

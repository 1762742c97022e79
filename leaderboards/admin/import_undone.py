"""What undoing an import comes to, before it is done: as far as it can be told at once, of each kind of import."""

from datetime import datetime

from django.utils.translation import gettext as _

from leaderboards.admin.foreseen_page import moves_in_words
from leaderboards.admin.scores import MOST_FORESEEN, foretold
from leaderboards.errors import ImportStays
from leaderboards.models import ImportKind, ImportRun
from leaderboards.models import State as PeriodState
from leaderboards.selectors.board_change import BoardChange
from leaderboards.services.imports import acts, boards


def import_undone(run: ImportRun, at: datetime) -> tuple[list[str], list[BoardChange]]:
    """Sentences, and what changes on the boards that are set back. Raises ``ImportStays`` or ``BadBoard``."""
    if why := acts.stays(run):
        raise ImportStays(why)
    if run.kind == ImportKind.BOARDS:
        said = _("Sets all boards back, or none if one was changed since; new boards go if nobody has played on them.")
        return [said], boards.foreseen_undone(run, at)
    if run.kind == ImportKind.PLAYERS:
        said = _(
            "Sets profiles back that nobody has changed since, and removes the players that it made, unless anything "
            "refers to them."
        )
        return [said], []
    said = _(
        "Voids exactly the scores that this import made; those of closed periods stay. Who had a score of their own "
        "falls back to it."
    )
    return [said, *_ranks(run)], []


def _ranks(run: ImportRun) -> list[str]:
    """A line for each player and what all ranks do, where the scores are few."""
    made = acts.made_by(run).filter(voided_at=None, period__state=PeriodState.OPEN)
    rows = list(made.select_related("player", "board", "period__board").order_by("pk")[: MOST_FORESEEN + 1])
    return [*foretold(rows, restored=False)] if len(rows) <= MOST_FORESEEN else [moves_in_words(None)]

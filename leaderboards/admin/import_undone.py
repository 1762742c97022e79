"""What undoing an import comes to, before it is done: as far as it can be told at once, of each kind of import."""

from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards.admin.purges import foreseen_in_words
from leaderboards.admin.scores import MOST_FORESEEN, foretold
from leaderboards.errors import ImportStays
from leaderboards.models import ImportKind, ImportRun
from leaderboards.models import State as PeriodState
from leaderboards.selectors.board_change import BoardChange
from leaderboards.services.imports import acts, boards, foresee_undo


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
        return [said, *_players(run)], []
    said = _(
        "Voids exactly the scores that this import made; those of closed periods stay. Who had a score of their own "
        "falls back to it."
    )
    return [said, *_ranks(run)], []


def _ranks(run: ImportRun) -> list[str]:
    """A line for each player where the scores are few, else how many; and what all ranks do."""
    made = acts.made_by(run).filter(foresee_undo.among(run), voided_at=None, period__state=PeriodState.OPEN)
    rows = list(made.select_related("player", "board", "period__board").order_by("pk")[: MOST_FORESEEN + 1])
    if len(rows) <= MOST_FORESEEN:
        return [*foretold(rows, restored=False)]
    return foreseen_in_words(foresee_undo.of_scores(run))


def _players(run: ImportRun) -> list[str]:
    """How many go back, go, and stay."""
    found = foresee_undo.of_players(run)
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

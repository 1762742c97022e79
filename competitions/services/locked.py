"""A competition's row, held, so that whoever changes it does so one after another; and its period, open."""

from competitions.models import Competition
from leaderboards.models import Period
from leaderboards.services.open import open_period


def locked(competition: Competition) -> Competition:
    """The row as it is now, held until this transaction ends. Rows that refer to it may still be added."""
    rows = Competition.objects.select_for_update(of=("self",), no_key=True).select_related("board").defer("picture")
    return rows.get(pk=competition.pk)


def period_of(competition: Competition) -> Period:
    """Its period, opened if nobody has; the rules are those of that moment, whatever the board has now."""
    periods = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board")
    return periods.first() or open_period(competition.board, competition.window)

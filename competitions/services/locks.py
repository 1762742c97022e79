"""A competition's row, held, so that those who change it do so one after another; a participant's; and its period."""

from django.db import OperationalError

from competitions.errors import CompetitionBusy
from competitions.models import Competition, Participant
from competitions.services.reader_caches import invalidate_readers_of
from foundation.db.resilience import is_busy
from leaderboards.models import Period, Player
from leaderboards.services.periods.open import open_period
from leaderboards.services.players.profiles import lock_player


def lock_competition(competition: Competition) -> Competition:
    """The row as it is now, held until this transaction ends. Rows that refer to it may still be added. Whoever
    holds it may change what readers see: those are told after the commit.

    Raises ``CompetitionBusy`` where somebody else holds it for longer than SQL lets us wait.
    """
    rows = Competition.objects.select_for_update(of=("self",), no_key=True).select_related("board").defer("picture")
    try:
        locked = rows.get(pk=competition.pk)
    except OperationalError as error:
        if not is_busy(error):
            raise
        raise CompetitionBusy(
            "Somebody else is changing this competition; nothing was done. Try again in some seconds."
        ) from error
    invalidate_readers_of(locked)
    return locked


def lock_participant(competition: Competition, player: Player) -> Participant | None:
    """The player's part in a competition whose row is held, with the player as they are now; None where they never
    joined. Both rows are held until this transaction ends: an erasure comes before or after.

    Raises ``UnknownPlayer`` for a player who was erased since ``player`` was read.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("team")
    rows = rows.filter(competition=competition, player=player.pk)
    found = rows.first()  # before the player: an erasure holds them in this order
    present = lock_player(player)
    if found is not None:
        found.player = present
    return found


def get_or_open_period(competition: Competition) -> Period:
    """Its period, opened if nobody has; the rules are those of that moment, whatever the board has now."""
    periods = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board")
    return periods.first() or open_period(competition.board, competition.window)

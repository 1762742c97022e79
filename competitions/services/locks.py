"""Row locks on competitions and participants, which make changes one after another; and a competition's period."""

from django.db import OperationalError

from competitions.errors import CompetitionBusy
from competitions.models import Competition, Participant
from competitions.services.reader_caches import invalidate_readers_of
from foundation.db.resilience import is_busy
from foundation.messages import Message
from leaderboards.models import Period, Player
from leaderboards.services.periods.open import open_period
from leaderboards.services.players.profiles import lock_player


def lock_competition(competition: Competition) -> Competition:
    """Lock the competition's row and return it as it is now.

    Other transactions may still add rows that refer to it. After the commit, the caches of readers are invalidated.
    Raises ``CompetitionBusy`` if another transaction holds the lock for longer than the lock timeout.
    """
    rows = Competition.objects.select_for_update(of=("self",), no_key=True).select_related("board").defer("picture")
    try:
        locked = rows.get(pk=competition.pk)
    except OperationalError as error:
        if not is_busy(error):
            raise
        raise CompetitionBusy(
            Message("Somebody else is changing this competition; nothing was done. Try again in some seconds.")
        ) from error
    invalidate_readers_of(locked)
    return locked


def lock_participant(competition: Competition, player: Player) -> Participant | None:
    """Lock the participant and the player, in a competition that is locked; None if the player never joined.

    The returned participant has the player as they are now. An erasure comes before or after this transaction.
    Raises ``UnknownPlayer`` if the player was erased since ``player`` was read.
    """
    rows = Participant.objects.select_for_update(of=("self",)).select_related("team")
    rows = rows.filter(competition=competition, player=player.pk)
    participant = rows.first()  # before the player: an erasure locks in this order
    locked_player = lock_player(player)
    if participant is not None:
        participant.player = locked_player
    return participant


def get_or_open_period(competition: Competition) -> Period:
    """Return its period, and open it if needed. The period keeps the board's rules of the time of opening."""
    periods = Period.objects.filter(board=competition.board_id, label=competition.label).select_related("board")
    return periods.first() or open_period(competition.board, competition.window)

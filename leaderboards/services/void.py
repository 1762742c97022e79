"""Voiding one submission: the player falls back to what his others amount to.

That is always possible in an open period: a cheat goes though what remains of a sum would leave the board's limits.
The sum then stops at the limit (``core/policies.replay``), and the others stay accepted.
"""

from datetime import datetime

from django.db import transaction

from foundation.statements import one_behind_the_other
from foundation.sync import barrier
from leaderboards.core.policies import replay
from leaderboards.errors import PeriodClosed
from leaderboards.models import Period, State, Submission
from leaderboards.selectors.reserved import refuse_reserved
from leaderboards.services.publish import write_and_publish
from leaderboards.stores.sql_locks import lock_standings
from leaderboards.stores.sql_writes import StandingRow, state_of


@transaction.atomic
def void_submission(submission: Submission, at: datetime) -> None:
    """Void it and derive the standing anew. Safe to call twice. Raises ``PeriodClosed`` or ``BoardReserved``."""
    barrier.hold_shared(submission.period_id)
    period = Period.objects.select_related("board").get(pk=submission.period_id)
    if period.state != State.OPEN:
        raise PeriodClosed(f"Period {period.label} is closed; its standings stay as they are.")
    refuse_reserved(period.board)
    player = submission.player
    held = lock_standings(period, [player.external_id])[player.external_id]
    Submission.objects.filter(pk=submission.pk, voided_at=None).update(voided_at=at)
    left = Submission.objects.filter(period=period, player=player, voided_at=None).order_by("pk")
    state = replay(period.rules, (state_of(row.points, row.fields, row.at) for row in left))
    if state == held.state:
        return
    row = StandingRow(player.pk, player.external_id, player.external_id, None, None, held.version + 1)
    if state is not None:
        packed = period.layout.pack(state.value, state.at_ms, player.external_id)
        row = row._replace(member=packed.member, state=state, score=packed.score)
    with one_behind_the_other() as statements:
        write_and_publish(statements, period, [row], at)

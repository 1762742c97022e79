"""Preview an edit of a submission, or of a standing on boards without submissions: the player's place and all ranks."""

from typing import NamedTuple

from leaderboards.core.ranking.policies import StandingState, replay
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import Period, Player, Submission
from leaderboards.selectors.previews.rank_moves import moves_in
from leaderboards.selectors.previews.submissions import Place, place_at, place_now
from leaderboards.stores.sql.writes import submission_state


class EditPreview(NamedTuple):
    """The player's place before and after (None if not ranked), and the rank changes."""

    now: Place | None
    then: Place | None
    moves: RankChanges


def preview_edit(submission: Submission, new: StandingState) -> EditPreview:
    """Preview changing the value of a submission to ``new``; a void one changes nothing."""
    period, player = submission.period, submission.player
    own = Submission.objects.filter(period=period, player=player, voided_at=None).order_by("pk")
    states = (new if row.pk == submission.pk else submission_state(row) for row in own)
    return preview_standing(period, player, replay(period.rules, states))


def preview_standing(period: Period, player: Player, new: StandingState | None) -> EditPreview:
    """Preview setting the player's standing to ``new``; None for not ranked."""
    then = None if new is None else place_at(period, player, new)
    return EditPreview(place_now(period, player), then, moves_in(period, {player.pk: new}))

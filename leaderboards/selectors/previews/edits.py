"""What an edit of a submission, or of a standing where none are kept, comes to: the player's place, and all ranks."""

from typing import NamedTuple

from leaderboards.core.ranking.policies import StandingState, replay
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.models import Period, Player, Submission
from leaderboards.selectors.previews.rank_moves import moves_in
from leaderboards.selectors.previews.submissions import Place, place_at, place_now
from leaderboards.stores.sql.writes import state_of


class EditPreview(NamedTuple):
    """The player's place before and after (None for none), and what ranks do."""

    now: Place | None
    then: Place | None
    moves: RankChanges


def preview_edit(submission: Submission, new: StandingState) -> EditPreview:
    """What comes of it once the submission is worth ``new``; of one that is void, nothing."""
    period, player = submission.period, submission.player
    own = Submission.objects.filter(period=period, player=player, voided_at=None).order_by("pk")
    states = (new if row.pk == submission.pk else state_of(row.points, row.fields, row.at) for row in own)
    return preview_standing(period, player, replay(period.rules, states))


def preview_standing(period: Period, player: Player, new: StandingState | None) -> EditPreview:
    """What comes of it once the player stands so; None is not ranked."""
    then = None if new is None else place_at(period, player, new)
    return EditPreview(place_now(period, player), then, moves_in(period, {player.pk: new}))

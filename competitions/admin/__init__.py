"""The admin of competitions, from which organizers run a competition. Each module registers itself.

Changes to more than one row go through a service, and a service's errors are shown beside the invalid field.
"""

from competitions.admin import comments, leagues, notices, player_parts
from competitions.admin.actions import preview_hooks as looks
from competitions.admin.competitions import competitions, snapshots
from competitions.admin.participants import participants, teams
from competitions.admin.rewards import grants
from competitions.admin.rewards import tiers as rewards
from competitions.admin.series import series
from leaderboards.admin.boards import waiting
from leaderboards.admin.confirm import event_previews
from leaderboards.admin.players import overview

overview.register_player_part(player_parts.rewards_of)
overview.register_player_part(player_parts.comments_of)
waiting.register_waiting(comments.reported_on)
event_previews.register_event_previews(looks.of_scores, looks.who_hides)

__all__ = [
    "comments",
    "competitions",
    "grants",
    "leagues",
    "looks",
    "notices",
    "participants",
    "rewards",
    "series",
    "snapshots",
    "teams",
]

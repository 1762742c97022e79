"""The admin of competitions: one is run from here without a terminal. Each part registers itself.

What changes more than a row goes through a service, and what a service refuses stands beside the field to blame.
"""

from competitions.admin import (
    comments,
    competitions,
    grants,
    leagues,
    looks,
    notices,
    participants,
    rewards,
    series,
    snapshots,
    teams,
)
from leaderboards.admin import event_looks

event_looks.provide(looks.of_scores, looks.who_hides)

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

"""The admin of competitions: one is run from here without a terminal. Each part registers itself.

What changes more than a row goes through a service, and what a service refuses stands beside the field to blame.
"""

from competitions.admin import (
    comments,
    competitions,
    grants,
    leagues,
    notices,
    participants,
    rewards,
    series,
    snapshots,
    teams,
)

__all__ = [
    "comments",
    "competitions",
    "grants",
    "leagues",
    "notices",
    "participants",
    "rewards",
    "series",
    "snapshots",
    "teams",
]

"""The rows of competitions, a file for each subject. Rows know themselves; what changes several is a service."""

from competitions.models.comments import Comment
from competitions.models.competitions import Change, ChangeKind, Competition, Invitation, Joining, Participant
from competitions.models.leagues import (
    League,
    LeagueGroup,
    LeagueMember,
    LeagueOutcome,
    LeagueSeason,
    LeagueTier,
)
from competitions.models.notices import Mail, Notice, NoticeKind, Preference
from competitions.models.rewards import RewardGrant, RewardRun, RewardTier, TierKind
from competitions.models.snapshots import Snapshot, SnapshotRow

__all__ = [
    "Change",
    "ChangeKind",
    "Comment",
    "Competition",
    "Invitation",
    "Joining",
    "League",
    "LeagueGroup",
    "LeagueMember",
    "LeagueOutcome",
    "LeagueSeason",
    "LeagueTier",
    "Mail",
    "Notice",
    "NoticeKind",
    "Participant",
    "Preference",
    "RewardGrant",
    "RewardRun",
    "RewardTier",
    "Snapshot",
    "SnapshotRow",
    "TierKind",
]

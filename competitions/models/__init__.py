"""The models of competitions, one module for each subject. Changes to several rows are services."""

from competitions.models.comments import Comment, CommentReport, ReportOutcome
from competitions.models.competitions import (
    Change,
    ChangeKind,
    Competition,
    Invitation,
    Joining,
    Participant,
    TeamEntry,
    TeamScore,
    VacatedPlaces,
)
from competitions.models.leagues import (
    League,
    LeagueGroup,
    LeagueMember,
    LeagueOutcome,
    LeagueSeason,
    LeagueTier,
)
from competitions.models.notices import Mail, Notice, NoticeKind, NotificationProgress, Preference, StartReminder
from competitions.models.push import PushMessage, PushSubscription
from competitions.models.revisions import Revision, RevisionPart
from competitions.models.rewards import RewardGrant, RewardRun, RewardTier, TierKind
from competitions.models.series import Series, SeriesEvent, SeriesResult, SeriesTotal
from competitions.models.snapshots import Snapshot, SnapshotRow
from competitions.models.teams import Division, Team

__all__ = [
    "Change",
    "ChangeKind",
    "Comment",
    "CommentReport",
    "Competition",
    "Division",
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
    "NotificationProgress",
    "Participant",
    "Preference",
    "PushMessage",
    "PushSubscription",
    "ReportOutcome",
    "Revision",
    "RevisionPart",
    "RewardGrant",
    "RewardRun",
    "RewardTier",
    "Series",
    "SeriesEvent",
    "SeriesResult",
    "SeriesTotal",
    "Snapshot",
    "SnapshotRow",
    "StartReminder",
    "Team",
    "TeamEntry",
    "TeamScore",
    "TierKind",
    "VacatedPlaces",
]

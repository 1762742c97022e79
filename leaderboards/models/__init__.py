"""The models, one module per subject.

Models do not use Redis, HTTP or signals. A change to more than one row is a service.
"""

from leaderboards.choices import (
    ACTIVE_STATES,
    IN_REDIS,
    OVER_STATES,
    WITHOUT_SUBMISSIONS,
    Decision,
    ImportKind,
    PeriodState,
    Storage,
    Unit,
    Visibility,
)
from leaderboards.models.boards import Board, default_timezone
from leaderboards.models.follows import Follow
from leaderboards.models.histograms import PeriodHistogram
from leaderboards.models.imports import ImportChunk, ImportedPlayer, ImportRun
from leaderboards.models.moderation import Purge, PurgedSubmission, SubmissionEdit
from leaderboards.models.partitions import Part, Partition, standings_of
from leaderboards.models.periods import Period
from leaderboards.models.pictures import PlayerPicture
from leaderboards.models.players import BanKind, BanRecord, LinkCode, NameChange, Player
from leaderboards.models.quarantine import QuarantinedEntry
from leaderboards.models.restrictions import Restriction, RestrictionKind
from leaderboards.models.score_ranges import ScoreRanges, generations_of
from leaderboards.models.snapshots import PeriodSnapshot, RankHistoryEntry
from leaderboards.models.standings import Difference, FinalStanding, Standing, Submission

__all__ = [
    "ACTIVE_STATES",
    "IN_REDIS",
    "OVER_STATES",
    "WITHOUT_SUBMISSIONS",
    "BanKind",
    "BanRecord",
    "Board",
    "Decision",
    "Difference",
    "FinalStanding",
    "Follow",
    "ImportChunk",
    "ImportKind",
    "ImportRun",
    "ImportedPlayer",
    "LinkCode",
    "NameChange",
    "Part",
    "Partition",
    "Period",
    "PeriodHistogram",
    "PeriodSnapshot",
    "PeriodState",
    "Player",
    "PlayerPicture",
    "Purge",
    "PurgedSubmission",
    "QuarantinedEntry",
    "RankHistoryEntry",
    "Restriction",
    "RestrictionKind",
    "ScoreRanges",
    "Standing",
    "Storage",
    "Submission",
    "SubmissionEdit",
    "Unit",
    "Visibility",
    "default_timezone",
    "generations_of",
    "standings_of",
]

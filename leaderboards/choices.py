"""The choices of settings and states, with their translated labels.

Values that the core defines (order, update, ties, tie break) get their labels here; the others are defined here.
"""

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboards.core import plausibility
from leaderboards.core.partitions import PARTITION_COUNTS
from leaderboards.core.periods import PeriodKind
from leaderboards.core.plausibility import LimitKind
from leaderboards.core.ranking.rules import Encoding, Operator, Order, TieBreak, Ties, Update

# Written out, so that makemessages finds the labels.
PERIODS = [
    (PeriodKind.DAY.value, pgettext_lazy("a board's period", "day")),
    (PeriodKind.WEEK.value, pgettext_lazy("a board's period", "week")),
    (PeriodKind.MONTH.value, pgettext_lazy("a board's period", "month")),
    (PeriodKind.YEAR.value, pgettext_lazy("a board's period", "year")),
    (PeriodKind.ALL_TIME.value, pgettext_lazy("a board's period", "all_time")),
    (PeriodKind.EVENT.value, pgettext_lazy("a board's period", "event")),
    (PeriodKind.SCHEDULE.value, pgettext_lazy("a board's period", "schedule")),
]
WEEK_STARTS = [
    ("monday", _("monday")),
    ("tuesday", _("tuesday")),
    ("wednesday", _("wednesday")),
    ("thursday", _("thursday")),
    ("friday", _("friday")),
    ("saturday", _("saturday")),
    ("sunday", _("sunday")),
]
ORDERS = [(Order.DESC.value, _("more is better")), (Order.ASC.value, _("less is better"))]
UPDATES = [
    (Update.BEST.value, _("best: the best submission counts")),
    (Update.LATEST.value, _("latest: the latest submission counts")),
    (Update.INCREMENT.value, _("increment: submissions add up")),
]
OPERATORS = [
    (Operator.SET.value, _("set: it replaces the standing, as with latest")),
    (Operator.BEST.value, _("best: it counts if it is better")),
    (Operator.INCREMENT.value, _("increment: it is added")),
    (Operator.DECREMENT.value, _("decrement: it is taken off")),
]
TIES = [
    (Ties.FIRST_COME.value, _("the first to get there is ahead")),
    (Ties.LAST_COME.value, _("the last to get there is ahead")),
    (Ties.SHARED.value, _("shared rank: 1 1 3")),
    (Ties.DENSE.value, _("shared rank without gaps: 1 1 2")),
]
TIE_BREAKS = [
    (TieBreak.AUTO.value, _("milliseconds, in the score if they fit, else in the member")),
    (TieBreak.SCORE.value, _("in the score: milliseconds or seconds, the finest that fits")),
    (TieBreak.MEMBER.value, _("in the member")),
]
ENCODINGS = [
    (Encoding.PLAIN.value, _("plain: a sorted set")),
    (Encoding.COMPACT.value, _("compact: numbers of players in a tree, a third of the memory")),
]
PARTITIONS = [(count, str(count)) for count in PARTITION_COUNTS]

# Ten colours with computed contrast (``static/css/hues.css``); empty: by the board's number.
HUES = [
    ("", pgettext_lazy("a hue", "by its number")),
    ("rose", pgettext_lazy("a hue", "rose")),
    ("coral", pgettext_lazy("a hue", "coral")),
    ("lime", pgettext_lazy("a hue", "lime")),
    ("green", pgettext_lazy("a hue", "green")),
    ("teal", pgettext_lazy("a hue", "teal")),
    ("sky", pgettext_lazy("a hue", "sky")),
    ("azure", pgettext_lazy("a hue", "azure")),
    ("iris", pgettext_lazy("a hue", "iris")),
    ("violet", pgettext_lazy("a hue", "violet")),
    ("magenta", pgettext_lazy("a hue", "magenta")),
]


class Storage(TextChoices):
    """Which side decides a board's standings."""

    HYBRID = "hybrid", _("hybrid: SQL decides, Redis shows")
    REDIS = "redis", _("redis: Redis decides, SQL follows within a second")
    SQL = "sql", _("sql: SQL alone")
    DYNAMODB = "dynamodb", _("dynamodb: DynamoDB decides and shows, SQL gets final standings")


IN_REDIS = (Storage.HYBRID, Storage.REDIS)  # whose periods have keys in Redis
WITHOUT_SUBMISSIONS = (Storage.REDIS, Storage.DYNAMODB)  # standings are all that is kept


class Unit(TextChoices):
    """The unit in which points are shown."""

    POINTS = "points", _("points")
    SECONDS = "seconds", _("seconds, shown as m:ss")
    MILLISECONDS = "milliseconds", _("milliseconds, shown as m:ss.mmm")
    METRES = "metres", _("metres")
    KILOMETRES = "kilometres", _("kilometres")


class Visibility(TextChoices):
    """Who may read a board."""

    PUBLIC = "public", _("public")
    PRIVATE = "private", _("private")


class JumpBaseline(TextChoices):
    """What a jump is compared with, of the player's last submissions."""

    BEST = plausibility.JumpBaseline.BEST.value, _("the best of them")
    MEDIAN = plausibility.JumpBaseline.MEDIAN.value, _("their median")


class PlausibilityRule(TextChoices):
    """Which limit an entry broke."""

    LEAST = LimitKind.LEAST.value, _("fewer points than plausible")
    MOST = LimitKind.MOST.value, _("more points than plausible")
    SUBMISSIONS = LimitKind.SUBMISSIONS.value, _("too many submissions in a minute")
    POINTS = LimitKind.POINTS.value, _("too many points in a minute")
    OWN_JUMP = LimitKind.OWN_JUMP.value, _("a jump against their own")
    FIELD_JUMP = LimitKind.FIELD_JUMP.value, _("a jump against the field")


class Decision(TextChoices):
    """The decision on a quarantined entry."""

    ACCEPTED = "accepted", pgettext_lazy("a quarantined entry", "accepted")
    VOIDED = "voided", pgettext_lazy("a quarantined entry", "voided")


class PeriodState(TextChoices):
    """The states of a period, in their order."""

    OPEN = "open", _("open")
    CLOSING = "closing", _("closing")
    FINAL = "final", _("final")
    EXPIRED = "expired", _("expired")


ACTIVE_STATES = (PeriodState.OPEN, PeriodState.CLOSING)  # standings may still change
OVER_STATES = (PeriodState.FINAL, PeriodState.EXPIRED)  # final ranks are kept for ever


class ImportKind(TextChoices):
    """What a file imports."""

    SCORES = "scores", _("scores")
    PLAYERS = "players", _("players")
    BOARDS = "boards", _("board settings")

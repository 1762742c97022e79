"""Competitions in words: who may join, what can be won, and why somebody was refused."""

from datetime import datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from competitions import errors
from competitions.core.lifecycle import Phase
from competitions.models import Competition, Joining, RewardTier, TierKind
from competitions.refusals import translated
from foundation.errors import SunwiError
from leaderboards import formats
from leaderboards.errors import Banned
from leaderboards.models import Board

BEFORE_THE_END = (Phase.DRAFT, Phase.OPEN, Phase.RUNNING)


def timed(at: datetime, zone: str, now: datetime, *, seconds: bool = False) -> SafeString:
    """Fri 20 Nov, 14:03 as a page says it, where a script puts it on the viewer's clock; 14:03:05 with ``seconds``."""
    said = formats.date_and_time(at, zone, now, seconds=seconds)
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), said)


def timed_of(competition: Competition, at: datetime, now: datetime) -> SafeString:
    """The same on a competition's own clock; with seconds where it takes but minutes."""
    return timed(at, competition.timezone, now, seconds=competition.timeline.is_short)


def who_may_join(competition: Competition) -> str:
    """Who may, in a sentence."""
    return {
        Joining.EVERYONE: _("Everyone may join."),
        Joining.CODE: _("Whoever has the code may join."),
        Joining.LIST: _("Players on the list may join."),
    }[Joining(competition.joining)]


def who_earns(board: Board, tier: RewardTier) -> str:
    """What a reward is for: places 2–3, the best 10 %, from 1,000 points."""
    limit = tier.limit.normalize()
    if tier.kind == TierKind.POINTS:
        words = _("%(points)s or less") if board.order == "asc" else _("%(points)s or more")
        return words % {"points": formats.points_with_unit(board, limit)}
    number = formats.number(limit)
    if tier.kind == TierKind.PERCENT:
        return _("the best %(share)s %%") % {"share": number}
    if tier.from_rank == limit:
        return _("place %(rank)s") % {"rank": number}
    return _("places %(first)s–%(last)s") % {"first": formats.number(tier.from_rank), "last": number}


def heading_without_score(phase: Phase) -> str:
    """What stands above those who take part and have no score that may be shown."""
    if phase in BEFORE_THE_END:
        return _("Not started")
    return _("Not started at the freeze") if phase is Phase.FROZEN else _("Without a result")


def without_score(phase: Phase, shows_nothing: bool) -> str:
    """The same of one player or team, in their row; ``shows_nothing`` where the freeze hides the whole competition."""
    if phase in BEFORE_THE_END:
        return _("not started")
    if phase is Phase.FROZEN:
        return pgettext("a result", "hidden") if shows_nothing else _("not started at the freeze")
    return _("no result")


def nobody_of_a_group(phase: Phase, shows_nothing: bool) -> str:
    """Why a team or a division has no ranking that is shown; empty where nobody has scored yet."""
    if phase in BEFORE_THE_END:
        return ""
    if phase is Phase.FROZEN:
        return _("Nothing is shown before the reveal.") if shows_nothing else _("Nobody had scored at the freeze.")
    return _("Nobody has a result.")


def attempts(competition: Competition) -> str:
    """How often one may score; empty where as often as one likes."""
    most = competition.attempts
    return ngettext("%(number)d attempt", "%(number)d attempts", most) % {"number": most} if most else ""


def refusal(error: SunwiError, competition: Competition, now: datetime) -> str:
    """Why somebody could not join or leave."""
    if isinstance(error, errors.JoiningOver):
        return joining_was_until(competition, now)
    if isinstance(error, errors.CompetitionFull):
        return _("All places are taken.")
    sentences: dict[type[SunwiError], str] = {
        errors.NotOpenYet: _("This competition is not open for joining yet."),
        errors.CompetitionOver: _("This competition is over."),
        errors.AlreadyJoined: _("You take part already."),
        errors.WrongCode: _("This code does not open the competition."),
        errors.NotInvited: _("Only players on the list may join."),
        errors.Disqualified: _("You were disqualified and cannot join again."),
        errors.TeamFull: _("All places of this team are taken."),
        errors.UnknownTeam: _("There is no such team any more."),
        errors.UnknownDivision: _("There is no such division any more."),
        errors.TeamsFixed: _("The competition has started: teams do not change any more."),
        errors.DivisionFixed: _("You were in another division before. Ask those who run this site to change it."),
        errors.NotAParticipant: _("You do not take part in this competition."),
        Banned: _("This player may not take part."),
    }
    return next((words for kind, words in sentences.items() if isinstance(error, kind)), translated(error.detail))


def joining_was_until(competition: Competition, now: datetime) -> str:
    """That it is too late, and since when."""
    until = timed_of(competition, competition.join_until or competition.ends_at, now)
    return format_html(_("Joining was possible until %(moment)s.").replace("%(moment)s", "{}"), until)

"""Texts about competitions: who may join, what can be won, and why joining was refused."""

from datetime import datetime

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from competitions import errors
from competitions.core.lifecycle import Phase
from competitions.models import Competition, Joining, RewardTier, TierKind
from foundation.errors import SunwiError
from foundation.translate import translated
from leaderboards import formats
from leaderboards.errors import Banned
from leaderboards.models import Board

BEFORE_THE_END = (Phase.DRAFT, Phase.OPEN, Phase.RUNNING)


def timed(at: datetime, zone: str, now: datetime, *, seconds: bool = False) -> SafeString:
    """Render a time such as Fri 20 Nov, 14:03; a script converts it to the viewer's time zone."""
    text = formats.date_and_time(at, zone, now, seconds=seconds)
    return format_html('<time datetime="{}">{}</time>', formats.iso_utc(at), text)


def timed_of(competition: Competition, at: datetime, now: datetime) -> SafeString:
    """Render a time in the competition's time zone, with seconds if it lasts only minutes."""
    return timed(at, competition.timezone, now, seconds=competition.timeline.is_short)


def who_may_join(competition: Competition) -> str:
    """Say in a sentence who may join."""
    return {
        Joining.EVERYONE: _("Everyone may join."),
        Joining.CODE: _("Players with the code may join."),
        Joining.LIST: _("Players on the list may join."),
    }[Joining(competition.joining)]


def who_earns(board: Board, tier: RewardTier) -> str:
    """Say what a reward is for: places 2–3, the best 10 %, from 1,000 points."""
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
    """Return the heading of the list of participants without a visible score."""
    if phase is Phase.OPEN:
        return _("Joined so far")
    if phase in BEFORE_THE_END:
        return _("Not started")
    return _("Not started at the freeze") if phase is Phase.FROZEN else _("Without a result")


def without_score(phase: Phase, shows_nothing: bool) -> str:
    """Return the text in the row of such a player or team. ``shows_nothing``: the freeze hides all standings."""
    if phase in BEFORE_THE_END:
        return _("not started")
    if phase is Phase.FROZEN:
        return pgettext("a result", "hidden") if shows_nothing else _("not started at the freeze")
    return _("no result")


def nobody_of_a_group(phase: Phase, shows_nothing: bool) -> str:
    """Say why a team or division has no visible ranking; empty if nobody has scored yet."""
    if phase in BEFORE_THE_END:
        return ""
    if phase is Phase.FROZEN:
        return _("Nothing is shown before the reveal.") if shows_nothing else _("Nobody had scored at the freeze.")
    return _("Nobody has a result.")


def attempts(competition: Competition) -> str:
    """Say how often players may score; empty if without limit."""
    most = competition.attempts
    return ngettext("%(number)d attempt", "%(number)d attempts", most) % {"number": most} if most else ""


def refusal(error: SunwiError, competition: Competition, now: datetime) -> str:
    """Say why joining or leaving was refused."""
    if isinstance(error, errors.JoiningOver):
        return joining_was_until(competition, now)
    if isinstance(error, errors.CompetitionFull):
        return _("All places are taken.")
    sentences: dict[type[SunwiError], str] = {
        errors.NotOpenYet: _("This competition is not open for joining yet."),
        errors.CompetitionOver: _("This competition is over."),
        errors.CompetitionStarted: _("This competition has started already."),
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
    """Say that joining has closed, and when."""
    until = timed_of(competition, competition.join_until or competition.ends_at, now)
    return format_html(_("Joining was possible until %(moment)s.").replace("%(moment)s", "{}"), until)

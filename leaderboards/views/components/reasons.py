"""Explain a player's rank in sentences: what counts, how many are better, and what decides among equals.

Names are wrapped in Unicode isolates, so that their direction does not change that of the sentence.
"""

from collections.abc import Sequence

from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards import formats
from leaderboards.core.ranking.rules import Rules, Ties, Update
from leaderboards.selectors import Row, Standings
from leaderboards.views.components.table_rows import Gap, result


def reasons(standings: Standings, me: Row, neighbours: Sequence[Row], ahead: Gap | None, zone: str) -> list[str]:
    """Return the sentences. Times are in ``zone``; ``neighbours`` are sorted best first and contain ``me``."""
    sentences = [_counts(standings, me, zone), _better(me), _equal(standings.rules, me, neighbours), _next(ahead)]
    return [sentence for sentence in sentences if sentence]


def _counts(standings: Standings, me: Row, zone: str) -> str:
    sentence = {
        Update.BEST: _("The best result counts here: %(result)s."),
        Update.LATEST: _("The latest result counts here: %(result)s."),
        Update.INCREMENT: _("All results together count here: %(result)s."),
    }[standings.rules.update]
    counts = sentence % {"result": result(standings.board, me)}
    if me.achieved_at is None:
        return counts
    since = _("It has stood so since %(moment)s.").replace("%(moment)s", '<time datetime="{}">{}</time>')
    moment = formats.moment(me.achieved_at, zone)
    return format_html(f"{{}} {since}", counts, formats.iso_utc(me.achieved_at), moment)


def _better(me: Row) -> str:
    if me.ahead is None:
        return ""
    if not me.ahead:
        return _("Nobody has a better result.")
    return ngettext("%(number)s player is ahead.", "%(number)s players are ahead.", me.ahead) % {
        "number": formats.number(me.ahead)
    }


def _equal(rules: Rules, me: Row, neighbours: Sequence[Row]) -> str:
    """Say what decides among equal results. Only the direct neighbours are compared; more rows may be equal."""
    if (me.tied or 1) > 1:
        return _("%(number)s players have the same result and share the rank.") % {
            "number": formats.number(me.tied or 1)
        }
    place = next((nth for nth, row in enumerate(neighbours) if row.player == me.player), None)
    if place is None or not rules.ties.by_time:
        return ""
    above, below = neighbours[max(place - 1, 0) : place], neighbours[place + 1 : place + 2]
    first_come = rules.ties is Ties.FIRST_COME
    if above and _same(above[0], me):
        sentence = (
            _("%(name)s has the same result and got it earlier.")
            if first_come
            else _("%(name)s has the same result and got it later, which goes first here.")
        )
        return sentence % {"name": _isolated(above[0].name)}
    if below and _same(below[0], me):
        sentence = (
            _("%(name)s has the same result but got it later.")
            if first_come
            else _("%(name)s has the same result but got it earlier, which goes behind here.")
        )
        return sentence % {"name": _isolated(below[0].name)}
    return ""


def _next(ahead: Gap | None) -> str:
    if ahead is None or not ahead.text:
        return ""
    return _("%(name)s is next, ahead by %(distance)s.") % {"name": _isolated(ahead.name), "distance": ahead.text}


def _same(one: Row, other: Row) -> bool:
    return (one.points, one.fields) == (other.points, other.fields)


def _isolated(name: str) -> str:
    return f"\N{FIRST STRONG ISOLATE}{name}\N{POP DIRECTIONAL ISOLATE}"

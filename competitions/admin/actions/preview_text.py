"""Previews of actions as sentences.

During a freeze, ranks are shown only to users who may view competitions, and so see them anyway.
"""

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from competitions.models import Competition, Participant
from competitions.selectors.previews.action_preview import ActionPreview, preview_action
from competitions.selectors.previews.before_after import MOST_READ
from competitions.selectors.previews.effects import ActionEffect
from competitions.selectors.rewards.grant_changes import GrantChanges
from foundation import clock
from leaderboards import formats
from leaderboards.admin.confirm.preview_page import describe_rank_moves
from leaderboards.models import Player

MOST_NAMED = 5
MOST_REWARDS = 20
MOST_COMPETITIONS = 10  # each is read completely


@dataclass(frozen=True, slots=True)
class PreviewText:
    """The sentences of a preview. ``settled`` are those of closed competitions, which change only if somebody acts."""

    lines: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()

    def seal(self, action: str, chosen: Collection[int], typed: Mapping[str, object]) -> str:
        """Return a digest of the preview and of what it is about, to check that what was shown is what is done."""
        content = (action, sorted(chosen), sorted((name, str(value)) for name, value in typed.items()), self.settled)
        return hashlib.sha256(repr(content).encode()).hexdigest()


def may_see_ranks(request: HttpRequest) -> bool:
    """Whether the user may see standings that a freeze hides."""
    return any(request.user.has_perm(f"competitions.{act}_competition") for act in ("view", "change"))


def preview_of(
    rows: Sequence[Participant],
    effect_of: Callable[[Competition, Sequence[Participant]], ActionEffect],
    *,
    sees_hidden: bool,
) -> PreviewText:
    """Preview an action on participants, for each of the first ``MOST_COMPETITIONS`` competitions."""
    by_number: dict[int, list[Participant]] = {}
    for row in rows:
        by_number.setdefault(row.competition_id, []).append(row)
    lines, settled = list[str](), list[str]()
    for several in list(by_number.values())[:MOST_COMPETITIONS]:
        competition = several[0].competition
        effect = effect_of(competition, several)
        sentences = effect_in_words(competition, effect, sees_hidden=sees_hidden, acts=len(several))
        if len(by_number) > 1:
            sentences = [f"{competition}: {each}" for each in sentences]
        lines += sentences
        settled += sentences if competition.closed_at is not None else []
    if len(by_number) > MOST_COMPETITIONS:
        lines.append(_("Of the other competitions it is not worked out here: choose fewer at once."))
    return PreviewText(tuple(lines), tuple(settled))


def effect_in_words(competition: Competition, effect: ActionEffect, *, sees_hidden: bool, acts: int = 1) -> list[str]:
    """Return sentences about an effect on one competition; ``acts`` is the number of actions."""
    if competition.is_hidden(clock.now()) and not sees_hidden:
        return [
            _("Its standings are frozen: what this does to ranks is shown only to people who may see the competition.")
        ]
    return [*action_preview_in_words(competition, preview_action(competition, effect), acts=acts)]


def action_preview_in_words(competition: Competition, preview: ActionPreview, *, acts: int = 1) -> Iterator[str]:
    """Yield sentences about a preview."""
    if not preview.is_counted:
        words = {"number": formats.number(MOST_READ)}
        yield _("What it does to ranks cannot be worked out here: there are more than %(number)s players.") % words
        if competition.final_at is not None:
            yield _("The result is final: where it changes, this makes its next revision, and rewards follow.")
        return
    yield describe_rank_moves(preview.players) if preview.players.ranks else _("No rank changes.")
    if preview.leaders is not None:
        yield _leaders_in_words(preview.leaders)
    if preview.teams.ranks:
        yield _("Teams: %(moved)s") % {"moved": describe_rank_moves(preview.teams)}
    if preview.leading_teams:
        yield _("The first team then: %(teams)s.") % {"teams": _list_names(preview.leading_teams)}
    if preview.divisions.ranks:
        yield _("Within divisions: %(moved)s") % {"moved": describe_rank_moves(preview.divisions)}
    yield from _result_in_words(competition, preview, acts)


def rewards_in_words(changes: GrantChanges) -> Iterator[str]:
    """Yield who loses and who gets which reward."""
    rows = [(grant, True) for grant in changes.lost] + [(grant, False) for grant in changes.new]
    shown = rows[:MOST_REWARDS]
    numbers = {grant.player_id for grant, _is_lost in shown}
    names = dict(Player.objects.filter(pk__in=numbers).values_list("pk", "external_id"))
    for grant, is_lost in shown:
        words = {"player": names[grant.player_id], "reward": grant.name, "rank": grant.rank}
        if not is_lost:
            yield _("%(player)s gets “%(reward)s” for place %(rank)s.") % words
        elif grant.delivered_at is not None:
            yield _("%(player)s loses “%(reward)s”, which was delivered already.") % words
        else:
            yield _("%(player)s loses “%(reward)s”.") % words
    if len(rows) > len(shown):
        more = len(rows) - len(shown)
        yield ngettext("And %(number)s reward more.", "And %(number)s rewards more.", more) % {
            "number": formats.number(more)
        }


def _leaders_in_words(leaders: Sequence[str]) -> str:
    if not leaders:
        return _("Nobody is first then.")
    return _("First then: %(players)s.") % {"players": _list_names(leaders)}


def _list_names(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    shown = [*names[:MOST_NAMED], *([_("%(number)s more") % {"number": formats.number(more)}] if more > 0 else [])]
    return get_text_list(shown, pgettext("1, 4 and 12", "and"))


def _result_in_words(competition: Competition, preview: ActionPreview, acts: int) -> Iterator[str]:
    if competition.final_at is None:
        yield _("The result is not final: no reward is granted yet, and nothing is published anew.")
        return
    if preview.revision is None:
        yield _("The final result shows nothing else: no new revision is made, and no reward moves.")
        return
    yield from rewards_in_words(preview.rewards)
    if not (preview.rewards.lost or preview.rewards.new):
        yield _("No reward moves.")
    words = {"number": preview.revision}
    if acts > 1:
        yield _("The result is final: it gets new revisions from number %(number)s on, up to one for each.") % words
    else:
        yield _("The result is final: this makes its revision %(number)s.") % words
    if competition.is_hidden(clock.now()):
        yield _("Its standings are frozen: the public hears of all this once the result is revealed.")
    else:
        yield ngettext(
            "%(number)s participant is told of another place.",
            "%(number)s participants are told of another place.",
            preview.told,
        ) % {"number": formats.number(preview.told)}

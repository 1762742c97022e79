"""What a ban or a restriction, or the end of one, comes to: as sentences, before somebody says yes."""

from collections.abc import Collection

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from leaderboards import formats
from leaderboards.core.ranking.rank_changes import RankChanges
from leaderboards.selectors.previews.exclusion import ExclusionPreview, preview_exclusion
from leaderboards.services import events
from leaderboards.services.events import BanPreview


def ban_preview_lines(
    players: Collection[int],
    *,
    banned: bool,
    board: int | None = None,
    period: int | None = None,
    is_secret: bool = False,
) -> list[str]:
    """What changes for these players (by internal number) and for others, on one board (its number) or on all, or in
    one ``period`` of the board (its number, and none of a competition); a sentence where nothing does. Where it is to
    be kept from the players (``is_secret``), what tells them all the same."""
    boards, elsewhere = (
        preview_exclusion(players, board, period, banned=banned),
        events.source().if_banned(players, banned=banned, board=board),
    )
    lines = [*_boards(boards, banned=banned), *_moved(boards.moved), *_finals(boards, banned=banned)]
    lines += _events(elsewhere, banned=banned)
    if is_secret and elsewhere.finals:
        lines.append(
            _(
                "A final result does not change in secret: anybody reads in its revisions that somebody is shown no "
                "more, and in the one before who. So the shadowed can find out."
            )
        )
    return lines or [_("They hold no place on a running board and take part in no competition: no ranking changes.")]


def _boards(found: ExclusionPreview, *, banned: bool) -> list[str]:
    if not found.standings:
        return []
    words = {"boards": found.boards, "places": _places(found)}
    if banned and found.moved.is_exact and not found.moved.ranks:  # their own rank is one that changes
        said = ngettext(
            "On %(boards)s running board they are hidden already: no rank changes there.",
            "On %(boards)s running boards they are hidden already: no rank changes there.",
            found.boards,
        )
    elif banned:
        said = ngettext(
            "On %(boards)s running board they hold %(places)s; they are hidden at once, and the others move up.",
            "On %(boards)s running boards they hold %(places)s; they are hidden at once, and the others move up.",
            found.boards,
        )
    else:
        said = ngettext(
            "On %(boards)s running board they hold %(places)s again.",
            "On %(boards)s running boards they hold %(places)s again.",
            found.boards,
        )
    return [said % words]


def _finals(found: ExclusionPreview, *, banned: bool) -> list[str]:
    """Of final periods, where anything moves there."""
    if banned:
        said = ngettext(
            "%(number)s final period shows them no more, and the others move up there too: %(moved)s",
            "%(number)s final periods show them no more, and the others move up there too: %(moved)s",
            found.finals,
        )
    else:
        said = ngettext(
            "%(number)s final period shows them again: %(moved)s",
            "%(number)s final periods show them again: %(moved)s",
            found.finals,
        )
    return [said % {"number": formats.number(found.finals), "moved": moved} for moved in _moved(found.moved_finals)]


def _moved(found: RankChanges) -> list[str]:
    """Nothing where nothing moves; the least that moves where it was too much to count."""
    if found.is_exact and not found.ranks:
        return []
    words = {
        "firsts": ngettext("%(number)s first place moves", "%(number)s first places move", found.firsts)
        % {"number": formats.number(found.firsts)},
        "ranks": ngettext("%(number)s rank changes", "%(number)s ranks change", found.ranks)
        % {"number": formats.number(found.ranks)},
    }
    return [(_("%(firsts)s, %(ranks)s.") if found.is_exact else _("At least: %(firsts)s, %(ranks)s.")) % words]


def _places(found: ExclusionPreview) -> str:
    """The places that could be counted; the number of standings where none or not all could be."""
    more = found.standings - len(found.places)
    if not found.places:
        return ngettext("%(number)s place", "%(number)s places", more) % {"number": more}
    words = {"places": get_text_list([str(rank) for rank in found.places], pgettext("1, 4 and 12", "and"))}
    held = ngettext("place %(places)s", "places %(places)s", len(found.places)) % words
    return _("%(held)s, and %(number)s more") % {"held": held, "number": more} if more else held


def _events(found: BanPreview, *, banned: bool) -> list[str]:
    lines = []
    if found.live:
        said = (
            ngettext("%(number)s competition: hidden at once.", "%(number)s competitions: hidden at once.", found.live)
            if banned
            else ngettext(
                "%(number)s competition: shown again at once.",
                "%(number)s competitions: shown again at once.",
                found.live,
            )
        )
        lines.append(said % {"number": found.live})
    if found.finals:
        said = ngettext(
            "%(number)s final result gets a new revision, some ten seconds later.",
            "%(number)s final results get a new revision, some ten seconds later.",
            found.finals,
        )
        lines.append(said % {"number": found.finals})
    return [*lines, *_rewards(found, banned=banned)]


def _rewards(found: BanPreview, *, banned: bool) -> list[str]:
    lines = []
    if found.own:
        said = (
            ngettext("%(number)s reward of theirs is revoked.", "%(number)s rewards of theirs are revoked.", found.own)
            if banned
            else ngettext(
                "%(number)s reward of theirs is granted anew.",
                "%(number)s rewards of theirs are granted anew.",
                found.own,
            )
        )
        lines.append(said % {"number": found.own})
    if found.others:
        said = (
            ngettext(
                "The rewards of %(number)s other player move on.",
                "The rewards of %(number)s other players move on.",
                found.others,
            )
            if banned
            else ngettext(
                "The rewards of %(number)s other player move back.",
                "The rewards of %(number)s other players move back.",
                found.others,
            )
        )
        lines.append(said % {"number": found.others})
    return lines

"""Preview of a ban or restriction, or of lifting one, as sentences."""

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
    """Describe what changes for these players (by internal number) and for others; one sentence if nothing does.

    On one board (by number) or all, or in one ``period`` (by number, not of a competition). ``banned`` is False to
    lift. With ``is_secret`` (a shadow) a sentence warns if something reveals it to the players.
    """
    on_boards = preview_exclusion(players, board, period, banned=banned)
    in_events = events.source().preview_ban(players, banned=banned, board=board)
    lines = [
        *_running_lines(on_boards, banned=banned),
        *_rank_change_lines(on_boards.moved),
        *_final_lines(on_boards, banned=banned),
        *_event_lines(in_events, banned=banned),
    ]
    if is_secret and in_events.finals:
        lines.append(
            _(
                "A final result does not change in secret: anybody reads in its revisions that somebody is shown no "
                "more, and in the one before who. So the shadowed can find out."
            )
        )
    return lines or [_("They hold no place on a running board and take part in no competition: no ranking changes.")]


def _running_lines(preview: ExclusionPreview, *, banned: bool) -> list[str]:
    if not preview.standings:
        return []
    words = {"boards": preview.boards, "places": _places_text(preview)}
    if banned and preview.moved.is_exact and not preview.moved.ranks:  # their own rank is one that changes
        text = ngettext(
            "On %(boards)s running board they are hidden already: no rank changes there.",
            "On %(boards)s running boards they are hidden already: no rank changes there.",
            preview.boards,
        )
    elif banned:
        text = ngettext(
            "On %(boards)s running board they hold %(places)s; they are hidden at once, and the others move up.",
            "On %(boards)s running boards they hold %(places)s; they are hidden at once, and the others move up.",
            preview.boards,
        )
    else:
        text = ngettext(
            "On %(boards)s running board they hold %(places)s again.",
            "On %(boards)s running boards they hold %(places)s again.",
            preview.boards,
        )
    return [text % words]


def _final_lines(preview: ExclusionPreview, *, banned: bool) -> list[str]:
    """Describe the final periods, if ranks change there."""
    if banned:
        text = ngettext(
            "%(number)s final period shows them no more, and the others move up there too: %(moved)s",
            "%(number)s final periods show them no more, and the others move up there too: %(moved)s",
            preview.finals,
        )
    else:
        text = ngettext(
            "%(number)s final period shows them again: %(moved)s",
            "%(number)s final periods show them again: %(moved)s",
            preview.finals,
        )
    return [
        text % {"number": formats.number(preview.finals), "moved": moved}
        for moved in _rank_change_lines(preview.moved_finals)
    ]


def _rank_change_lines(changes: RankChanges) -> list[str]:
    """Describe rank changes: no line without changes, a lower bound if they were not all counted."""
    if changes.is_exact and not changes.ranks:
        return []
    words = {
        "firsts": ngettext("%(number)s first place moves", "%(number)s first places move", changes.firsts)
        % {"number": formats.number(changes.firsts)},
        "ranks": ngettext("%(number)s rank changes", "%(number)s ranks change", changes.ranks)
        % {"number": formats.number(changes.ranks)},
    }
    return [(_("%(firsts)s, %(ranks)s.") if changes.is_exact else _("At least: %(firsts)s, %(ranks)s.")) % words]


def _places_text(preview: ExclusionPreview) -> str:
    """List the ranks that were counted, and the number of other standings."""
    more = preview.standings - len(preview.places)
    if not preview.places:
        return ngettext("%(number)s place", "%(number)s places", more) % {"number": more}
    words = {"places": get_text_list([str(rank) for rank in preview.places], pgettext("1, 4 and 12", "and"))}
    ranks = ngettext("place %(places)s", "places %(places)s", len(preview.places)) % words
    return _("%(held)s, and %(number)s more") % {"held": ranks, "number": more} if more else ranks


def _event_lines(preview: BanPreview, *, banned: bool) -> list[str]:
    lines = []
    if preview.live:
        text = (
            ngettext(
                "%(number)s competition: hidden at once.", "%(number)s competitions: hidden at once.", preview.live
            )
            if banned
            else ngettext(
                "%(number)s competition: shown again at once.",
                "%(number)s competitions: shown again at once.",
                preview.live,
            )
        )
        lines.append(text % {"number": preview.live})
    if preview.finals:
        text = ngettext(
            "%(number)s final result gets a new revision, some ten seconds later.",
            "%(number)s final results get a new revision, some ten seconds later.",
            preview.finals,
        )
        lines.append(text % {"number": preview.finals})
    return [*lines, *_reward_lines(preview, banned=banned)]


def _reward_lines(preview: BanPreview, *, banned: bool) -> list[str]:
    lines = []
    if preview.own:
        text = (
            ngettext(
                "%(number)s reward of theirs is revoked.", "%(number)s rewards of theirs are revoked.", preview.own
            )
            if banned
            else ngettext(
                "%(number)s reward of theirs is granted anew.",
                "%(number)s rewards of theirs are granted anew.",
                preview.own,
            )
        )
        lines.append(text % {"number": preview.own})
    if preview.others:
        text = (
            ngettext(
                "The rewards of %(number)s other player move on.",
                "The rewards of %(number)s other players move on.",
                preview.others,
            )
            if banned
            else ngettext(
                "The rewards of %(number)s other player move back.",
                "The rewards of %(number)s other players move back.",
                preview.others,
            )
        )
        lines.append(text % {"number": preview.others})
    return lines

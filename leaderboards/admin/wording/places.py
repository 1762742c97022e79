"""A player's place as text."""

from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.admin.wording.descriptions import with_duration
from leaderboards.admin.wording.values import shown_value
from leaderboards.models import Period, Standing
from leaderboards.selectors.previews.submissions import Place
from leaderboards.services.moderation.edit import format_value


def place_text(period: Period, place: Place | None) -> str:
    """Format a place: "rank 3 with 150"."""
    if place is None:
        return _("not ranked")
    value = format_value(period, place.state.value)
    if period.rules.of_points:
        value = with_duration(period.board, period.rules, place.state.value[0], value)
    return value if place.rank is None else _("rank %(rank)s with %(value)s") % {"rank": place.rank, "value": value}


def shown_place(row: Standing, place: Place | None) -> str:
    """Format the place of a standing as pages show it: "rank 1,204 with 1:05.250"."""
    if place is None:
        return _("not ranked")
    if place.rank is None:
        return shown_value(row)
    return _("rank %(rank)s with %(value)s") % {"rank": formats.number(place.rank), "value": shown_value(row)}

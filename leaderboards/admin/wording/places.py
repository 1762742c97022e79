"""A player's place as text."""

from django.utils.translation import gettext as _

from leaderboards.admin.wording.descriptions import with_duration
from leaderboards.models import Period
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

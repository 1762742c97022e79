"""A player's place as text."""

from django.utils.translation import gettext as _

from leaderboards import formats
from leaderboards.admin.wording.values import state_value
from leaderboards.models import Period
from leaderboards.selectors.previews.submissions import Place


def place_text(period: Period, place: Place | None) -> str:
    """Format a place as pages show it: "rank 1,204 with 1:05.250"."""
    if place is None:
        return _("not ranked")
    value = state_value(period, place.state.value)
    if place.rank is None:
        return value
    return _("rank %(rank)s with %(value)s") % {"rank": formats.number(place.rank), "value": value}

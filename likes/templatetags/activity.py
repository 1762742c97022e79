"""A template tag for a player's attendance, for pages of lower layers."""

from django import template

from foundation import clock
from leaderboards.models import Player
from likes.core.activity import Attendance
from likes.selectors.activity import attendance_of

register = template.Library()


@register.simple_tag
def attendance(player: Player) -> Attendance:
    """The player's attendance in the last ten weeks; today counts as present."""
    return attendance_of(player, clock.now())

"""A player's last ten weeks, for pages of apps below that know nothing of attendance."""

from django import template

from foundation import clock
from leaderboards.models import Player
from likes.core.activity import Attendance
from likes.selectors.activity import attendance_of

register = template.Library()


@register.simple_tag
def attendance(player: Player) -> Attendance:
    """On which days the player was there. They ask, so they are there today."""
    return attendance_of(player, clock.now())

"""The calendar file of a competition: its start, freeze, end and reveal, each as an entry of its own."""

from collections.abc import Iterator
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from competitions.models import Competition
from competitions.views.access import visible
from foundation import clock
from foundation.ical import CalendarMoment, calendar_file, last_change_of
from foundation.sunwi_settings import sunwi_settings
from leaderboards import formats
from leaderboards.views.board_pages.calendar_file import calendar_response, calendar_uid
from leaderboards.views.components.pictures import zoned


@require_safe
def competition_calendar(request: HttpRequest, number: int) -> HttpResponse:
    """Return the file; the entries of a cancelled competition are cancelled in it."""
    competition = visible(request, number)
    file = calendar_file(competition.name, _moments(competition, clock.now()))
    return calendar_response(file, f"competition-{number}.ics")


def _moments(competition: Competition, now: datetime) -> Iterator[CalendarMoment]:
    made_at = competition.published_at or competition.created_at
    changed_at = last_change_of("competition", competition.pk, made_at)
    url = sunwi_settings.SITE_URL.rstrip("/") + reverse("competition", args=[competition.pk])
    for part, at, summary in _parts(competition):
        if at is not None:
            yield CalendarMoment(
                uid=calendar_uid("competition", competition.pk, part),
                at=at,
                summary=summary % {"name": competition.name},
                description=zoned(formats.date_and_time(at, competition.timezone, now), competition.timezone),
                url=url,
                changed_at=changed_at,
                is_cancelled=competition.cancelled_at is not None,
            )


def _parts(competition: Competition) -> list[tuple[str, datetime | None, str]]:
    """Return the name, time and text of each entry; the reveal has no time before it happens."""
    return [
        ("start", competition.starts_at, _("%(name)s starts")),
        ("freeze", competition.timeline.frozen_since, _("%(name)s: the standings freeze")),
        ("end", competition.ends_at, _("%(name)s ends")),
        ("reveal", competition.revealed_at, _("%(name)s: the result is revealed")),
    ]

"""What the confirmation of publishing a competition says: when and how long it runs, and what is fixed from then on."""

from collections.abc import Iterator
from datetime import timedelta

from django.utils.translation import gettext as _

from competitions.admin.actions.forms import Typed
from competitions.admin.competitions.fixed_settings import fixed_by_publishing, open_until_final, settings_in_words
from competitions.admin.times import competition_time
from competitions.models import Change, ChangeKind, Competition
from foundation import clock
from leaderboards.formats import whole_duration

LONGEST_USUAL = timedelta(days=366)
TIMES_ITS_SOURCE = 3


def preview_publish(competition: Competition, _typed: Typed) -> list[str]:
    """Return the sentences of the confirmation, what is unusual about the times first."""
    has_begun = competition.starts_at <= clock.now()
    return [
        _("What was saved last is published: what you changed in the form and did not save is not part of it."),
        *([_("Its start lies in the past, so it runs from the moment it is published.")] if has_begun else []),
        *length_warnings(competition),
        _("It runs from %(start)s to %(end)s, that is %(length)s.")
        % {
            "start": competition_time(competition, competition.starts_at, year=True),
            "end": competition_time(competition, competition.ends_at, year=True),
            "length": length_in_words(competition),
        },
        _("Anybody can see it and join from now on, as its settings say."),
        _("Publishing cannot be undone: afterwards it can only be cancelled, which everybody sees."),
        *_hidden_from_the_start_in_words(competition),
        _("Its start is fixed from now on. Its end can be moved by “Move the end” with a reason, until it is over."),
        _("Fixed from now on: %(settings)s.") % {"settings": settings_in_words(fixed_by_publishing(competition))},
        _("Until the result is final these may still change: %(settings)s.")
        % {"settings": settings_in_words(open_until_final(competition))},
        _("Its name, what people read, who may join and the alerts can be changed at any time."),
        _("Its rules are those of the board “%(board)s” as they are now.") % {"board": competition.board},
    ]


def length_in_words(competition: Competition) -> str:
    """Return how long it lasts, in all units: 2 d 4 h."""
    return whole_duration(int((competition.ends_at - competition.starts_at).total_seconds()))


def length_warnings(competition: Competition) -> Iterator[str]:
    """Yield a sentence if it lasts longer than a year, or several times as long as what it was copied from.

    At most two SQL statements: its record, and the competition that it was made from.
    """
    length = competition.ends_at - competition.starts_at
    if length > LONGEST_USUAL:
        yield _("Look at the end: it lasts longer than a year, %(length)s.") % {"length": length_in_words(competition)}
    source = _source_of(competition)
    if source is not None and length >= TIMES_ITS_SOURCE * (source.ends_at - source.starts_at):
        yield _("Look at the end: it lasts %(length)s, and “%(source)s”, which it was made from, %(usual)s.") % {
            "length": length_in_words(competition),
            "source": source.name,
            "usual": length_in_words(source),
        }


def _source_of(competition: Competition) -> Competition | None:
    copied = Change.objects.filter(competition=competition, kind=ChangeKind.COPIED).order_by("pk").first()
    number = copied.details.get("source") if copied else None
    return Competition.objects.filter(pk=number).only("name", "starts_at", "ends_at").first() if number else None


def _hidden_from_the_start_in_words(competition: Competition) -> list[str]:
    if not competition.timeline.hides_from_the_start:
        return []
    return [_("Its freeze lasts as long as it does: nobody sees a ranking until you reveal it.")]

"""What ``manage.py doctor`` tells of score ranges: whether they follow. Nothing where no board has any."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.utils.translation import gettext as _

from leaderboards.management.findings import Finding, State
from leaderboards.selectors.monitoring.score_ranges import followed_since

LATE = timedelta(minutes=1)


def score_ranges(at: datetime) -> Iterator[Finding]:
    """Tell whose ranges have not followed for a minute: its partitions answer meanwhile."""
    known = followed_since()
    late = [(period, since) for period, since in known if at - since > LATE]
    for period, since in late:
        seconds = round((at - since).total_seconds())
        detail = _(
            "have not followed for %(seconds)s s, so its partitions answer: see that the worker runs, and its log"
        )
        yield Finding(State.RED, f"score ranges of period {period}", detail % {"seconds": seconds})
    if known and not late:
        yield Finding(State.OK, "score ranges", _("all follow"))

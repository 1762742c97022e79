"""Choose how often pages poll: the more pages follow, the longer the interval, so the load stays bounded.

Each answer to a poll names the seconds until the next one (``Poll-Interval``). A page that polls every ten seconds
receives one answer of ten seconds per ten seconds, so the sum of all intervals sent in a time window, divided by its
length, is the number of followers. Each process counts its own.
"""

from dataclasses import dataclass, field

from foundation import clock

LIVE_EVERY_SECONDS = 2  # while there are few followers
LONGEST_SECONDS = 20.0
ANSWERS_PER_SECOND = 100  # to all followers of a process
COUNTED_SECONDS = 2.0  # length of the time window


@dataclass(slots=True)
class PollPacer:
    """Estimate the followers of this process and choose their interval. Not locked: a race may lose a follower."""

    _every: float = LIVE_EVERY_SECONDS
    _sent_seconds: float = 0.0
    _since: float = field(default_factory=clock.monotonic)

    def next_interval(self) -> float:
        """Return the seconds until the page that is answered now should poll again."""
        passed = clock.monotonic() - self._since
        if passed >= COUNTED_SECONDS:
            followers = self._sent_seconds / passed
            self._every = min(max(followers / ANSWERS_PER_SECOND, LIVE_EVERY_SECONDS), LONGEST_SECONDS)
            self._sent_seconds, self._since = 0.0, clock.monotonic()
        self._sent_seconds += self._every
        return self._every


poll_pacer = PollPacer()

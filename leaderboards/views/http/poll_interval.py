"""When those who follow a page are to look again: the more follow, the later, so that a crowd cannot ask ever more.

Each answer to a follower names the seconds (``Look-Again``). Who was told ten seconds stands for ten seconds of one
follower, so all that was told within a while says how many there are. Each process counts its own.
"""

from dataclasses import dataclass, field

from foundation import clock

LIVE_EVERY_SECONDS = 2  # as long as few follow
LONGEST_SECONDS = 20.0
ANSWERS_PER_SECOND = 100  # of a process, to all its followers
COUNTED_SECONDS = 2.0


@dataclass(slots=True)
class PollPacer:
    """Who follows the pages of this process. Two threads at once may lose a follower: it is an estimate."""

    _every: float = LIVE_EVERY_SECONDS
    _told: float = 0.0
    _since: float = field(default_factory=clock.monotonic)

    def next_interval(self) -> float:
        """In how many seconds the one who is answered now should ask again."""
        passed = clock.monotonic() - self._since
        if passed >= COUNTED_SECONDS:
            many = self._told / passed
            self._every = min(max(many / ANSWERS_PER_SECOND, LIVE_EVERY_SECONDS), LONGEST_SECONDS)
            self._told, self._since = 0.0, clock.monotonic()
        self._told += self._every
        return self._every


poll_pacer = PollPacer()

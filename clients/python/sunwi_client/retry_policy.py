"""How long a client retries, and how long it waits in between. It uses no clock and does not sleep."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Retry for ``seconds`` in total (0: one try), with pauses that double from ``first`` to ``longest`` seconds.

    A pause is randomly shortened by up to a half, so that clients that failed together do not retry together. It is
    never shorter than the server's ``Retry-After``, of which at most five minutes are believed, and ``spread`` beyond.
    """

    seconds: float = 30.0
    first: float = 0.2
    longest: float = 5.0

    def pause(self, tries: int, retry_after: float | None) -> float:
        """Seconds to wait after ``tries`` (1 or more) failed tries in a row."""
        doubled: float = min(self.first * 2 ** min(tries - 1, 30), self.longest)
        shortened = doubled * random.uniform(0.5, 1)  # noqa: S311 - jitter, no secret
        return max(shortened, spread(retry_after or 0.0))


def spread(seconds: float) -> float:
    """``seconds`` and at random up to a quarter of them more, one second at most: not all who were asked to wait for
    the same moment come in it."""
    return seconds + random.uniform(0, min(seconds / 4, 1.0))  # noqa: S311 - jitter, no secret


NO_RETRY = RetryPolicy(seconds=0)

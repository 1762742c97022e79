"""How long a client goes on trying, and how long it waits in between. Pure: no clock, no sleep."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Try for ``seconds`` in all (0: once), with pauses that double from ``first`` to ``longest`` seconds.

    A pause is shorter by chance, by up to a half, so that many who failed together do not come back together. The
    server's ``Retry-After`` is always kept, and is never shortened.
    """

    seconds: float = 30.0
    first: float = 0.2
    longest: float = 5.0

    def pause(self, tries: int, retry_after: float | None) -> float:
        """Seconds to wait after so many ``tries`` (1 or more) that failed one behind the other."""
        doubled: float = min(self.first * 2 ** min(tries - 1, 30), self.longest)
        own = doubled * random.uniform(0.5, 1)  # noqa: S311 - a spread, and no secret
        return max(own, retry_after or 0.0)


NO_RETRY = RetryPolicy(seconds=0)

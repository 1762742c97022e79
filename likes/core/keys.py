"""The names of this app's Redis keys: the only place where one is spelled.

The trap: the keys of one thing wear it in braces, their hash tag, so that Redis Cluster keeps them in one slot. The
keys of a kind are in another: the scripts of the ``redis`` storage, which touch both, are for a single server.
"""

import re
from dataclasses import dataclass

KIND = re.compile(r"[a-z][a-z0-9_]{0,19}")
THING = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(frozen=True, slots=True)
class ThingKeys:
    """The keys of one thing. Whoever makes one has checked both names against ``KIND`` and ``THING``."""

    kind: str
    thing: str

    @property
    def liked_by(self) -> str:
        """Sorted set player → when, in ms since 1970."""
        return self._of("liked_by")

    @property
    def count(self) -> str:
        """The number of likes. Without it nothing is known of the thing."""
        return self._of("likes_count")

    @property
    def amounts(self) -> str:
        """Hash player → how often, of a repeatable kind."""
        return self._of("amounts")

    @property
    def run(self) -> str:
        """The run_id of the server that a hybrid view was loaded into: another one's memory is not trusted."""
        return self._of("run")

    @property
    def seen(self) -> str:
        """Hash player → the latest change that a hybrid view was told of: ``version|amount|ms``, for a minute."""
        return self._of("seen")

    @property
    def load(self) -> str:
        """Who loads a hybrid view at this moment."""
        return self._of("load")

    def _of(self, name: str) -> str:
        return f"{{{self.kind}:{self.thing}}}:{name}"


@dataclass(frozen=True, slots=True)
class KindKeys:
    """The keys of a kind that Redis decides over."""

    kind: str

    @property
    def gen(self) -> str:
        """The generation: missing or different means that Redis is away for this kind."""
        return self._of("gen")

    @property
    def seq(self) -> str:
        """The counter that versions come from."""
        return self._of("seq")

    @property
    def dirty(self) -> str:
        """Hash ``thing␊player`` → version of what the mirror has not copied yet."""
        return self._of("dirty")

    def _of(self, name: str) -> str:
        return f"{{likes:{self.kind}}}:{name}"

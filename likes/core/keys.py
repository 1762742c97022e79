"""The names of this app's Redis keys: the only place where one is spelled.

The trap: the keys of one thing wear it in braces, their hash tag, so that Redis Cluster keeps them in one slot. The
keys of a kind are in another: the scripts of the ``redis`` storage, which touch both, are for a single server.
"""

import re
from dataclasses import dataclass
from datetime import date

from foundation.sync.keys import KeyFamily

KIND = re.compile(r"[a-z][a-z0-9_]{0,19}")
THING = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(frozen=True, slots=True)
class ThingKeys:
    """The keys of one thing. The caller has checked both names against ``KIND`` and ``THING``."""

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
        """The identity of the server that a hybrid view was loaded into: another one's memory is not trusted."""
        return self._of("run")

    @property
    def seen(self) -> str:
        """Hash player → the latest change that a hybrid view was told of: ``version|amount|ms``, for a minute."""
        return self._of("seen")

    @property
    def seen_at(self) -> str:
        """Sorted set player → when Redis was told that, in ms since 1970: the old ones go."""
        return self._of("seen_at")

    @property
    def load(self) -> str:
        """Who loads a hybrid view at this moment."""
        return self._of("load")

    def loaded(self, token: str) -> tuple[str, str]:
        """What a loader has of ``liked_by`` and ``amounts`` until all of it is there."""
        return self._of(f"load:{token}:liked_by"), self._of(f"load:{token}:amounts")

    def _of(self, name: str) -> str:
        return f"{{{self.kind}:{self.thing}}}:{name}"


@dataclass(frozen=True, slots=True)
class KindKeys(KeyFamily):
    """The keys of a kind that Redis decides over. In ``dirty`` ``thing␊player`` → ``version|amount|ms``."""

    kind: str

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys of the kind itself; those of its things are found by their pattern."""
        return (self.gen, self.seq, self.dirty)

    def _key_name(self, name: str) -> str:
        return f"{{likes:{self.kind}}}:{name}"


@dataclass(frozen=True, slots=True)
class DayKeys:
    """The keys of what is counted on one day, by UTC. One script touches several of them: for a single server."""

    day: date

    @property
    def visitors(self) -> str:
        """HyperLogLog of who opened a page."""
        return f"dau:{self.day}"

    @property
    def attendance(self) -> str:
        """Bitmap of the players who opened one, by their dense number."""
        return f"attend:{self.day}"

    @property
    def hits(self) -> str:
        """Hash page → how often it was opened since the last flush."""
        return f"hits:{self.day}"

    @property
    def scratch(self) -> str:
        """What SQL has, while it is merged into one of them."""
        return f"activity:{self.day}:scratch"

    def staged_hits(self, flush: int) -> str:
        """The hits that a flush took aside; its number is the proof that they count once."""
        return f"{self.hits}:flush:{flush}"


_OF_A_THING = frozenset({"liked_by", "likes_count", "amounts", "run", "seen", "load"})


def pattern_of_things(kind: str) -> str:
    """What the keys of all things of a kind match; others may too (``is_of_a_thing``)."""
    return f"{{{kind}:*}}:*"


def is_of_a_thing(key: str) -> bool:
    """Whether the key is one of ``ThingKeys``. A kind called "likes" has things whose tags are like those of kinds."""
    return key.rpartition("}:")[2] in _OF_A_THING


def thing_of(key: str) -> str:
    """The thing that a key of ``ThingKeys`` belongs to."""
    return key[1:].partition("}")[0].partition(":")[2]

"""The names of this app's Redis keys; no other module builds them.

The trap: the keys of a thing have it in braces, as their hash tag, so that Redis Cluster keeps them in one slot. The
scripts of the ``redis`` storage use the keys of the kind too, and those of activity the keys of several days; in a
cluster these have a common tag.
"""

import re
from dataclasses import dataclass
from datetime import date

from foundation.sync.keys import KeyFamily, has_names_for_cluster

KIND = re.compile(r"[a-z][a-z0-9_]{0,19}")
THING = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(frozen=True, slots=True)
class ThingKeys:
    """The keys of one thing. The caller has checked both names against ``KIND`` and ``THING``."""

    kind: str
    thing: str
    is_decided: bool = False  # by Redis: in a cluster it is in the slot of its kind

    @property
    def liked_by(self) -> str:
        """Sorted set player → time of the like, in ms since 1970."""
        return self._of("liked_by")

    @property
    def count(self) -> str:
        """The number of likes. Without this key there is no view of the thing."""
        return self._of("likes_count")

    @property
    def amounts(self) -> str:
        """Hash player → number of likes, for repeatable kinds."""
        return self._of("amounts")

    @property
    def run(self) -> str:
        """The identity of the server that a hybrid view was loaded into; on another server the view is invalid."""
        return self._of("run")

    @property
    def seen(self) -> str:
        """Hash player → the latest change published to a hybrid view: ``version|amount|ms``, for a minute."""
        return self._of("seen")

    @property
    def seen_at(self) -> str:
        """Sorted set player → when that was published, in ms since 1970, for expiring ``seen``."""
        return self._of("seen_at")

    @property
    def load(self) -> str:
        """The lease of the process that loads a hybrid view."""
        return self._of("load")

    def loaded(self, token: str) -> tuple[str, str]:
        """``liked_by`` and ``amounts`` of a view that is being loaded."""
        return self._of(f"load:{token}:liked_by"), self._of(f"load:{token}:amounts")

    def _of(self, name: str) -> str:
        if self.is_decided and has_names_for_cluster():
            return f"{{likes:{self.kind}}}:{self.thing}:{name}"
        return f"{{{self.kind}:{self.thing}}}:{name}"


@dataclass(frozen=True, slots=True)
class KindKeys(KeyFamily):
    """The keys of a kind that Redis decides. ``dirty`` is a hash ``thing␊player`` → ``version|amount|ms``."""

    kind: str

    @property
    def all_keys(self) -> tuple[str, ...]:
        """The keys of the kind itself; those of its things are found with ``pattern_of_things``."""
        return (self.gen, self.seq, self.dirty)

    def _key_name(self, name: str) -> str:
        return f"{{likes:{self.kind}}}:{name}"


@dataclass(frozen=True, slots=True)
class DayKeys:
    """The keys of a UTC day's activity. One script uses those of several days."""

    day: date

    @property
    def visitors(self) -> str:
        """HyperLogLog of visitors."""
        return f"{self._tag}dau:{self.day}"

    @property
    def attendance(self) -> str:
        """Bitmap of players who opened a page, by their dense number."""
        return f"{self._tag}attend:{self.day}"

    @property
    def hits(self) -> str:
        """Hash page → hits since the last flush."""
        return f"{self._tag}hits:{self.day}"

    @property
    def scratch(self) -> str:
        """A temporary key for SQL's value during a merge."""
        return f"{self._tag}activity:{self.day}:scratch"

    def staged_hits(self, flush: int) -> str:
        """The hits that a flush (its primary key) has staged."""
        return f"{self.hits}:flush:{flush}"

    @property
    def _tag(self) -> str:
        return "{activity:days}:" if has_names_for_cluster() else ""


_OF_A_THING = frozenset({"liked_by", "likes_count", "amounts", "run", "seen", "load"})


def pattern_of_things(kind: str) -> str:
    """What the keys of all things match, of a kind that Redis decides; others may too (``is_of_a_thing``)."""
    return f"{{likes:{kind}}}:*" if has_names_for_cluster() else f"{{{kind}:*}}:*"


def is_of_a_thing(key: str) -> bool:
    """Whether the key is one of ``ThingKeys``. A kind called "likes" has things whose tags are like those of kinds."""
    rest = key.rpartition("}:")[2]
    if has_names_for_cluster():
        return rest.rpartition(":")[2] in _OF_A_THING and ":" in rest
    return rest in _OF_A_THING


def thing_of(key: str) -> str:
    """The thing that a key of ``ThingKeys`` belongs to."""
    if has_names_for_cluster():
        return key.partition("}:")[2].rpartition(":")[0]
    return key[1:].partition("}")[0].partition(":")[2]

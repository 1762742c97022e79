"""The names of the keys that every family in Redis has; and whether names are those of a Redis Cluster.

On one server names never change. In a cluster, whose nodes start empty, what one script uses must be in one slot, so
some names have another hash tag there (decision 0100).
"""

from abc import ABC, abstractmethod

_naming = {"cluster": False}


def use_names_for_cluster(is_wanted: bool) -> None:
    """Say, when the process starts, whether the boards' Redis is a cluster."""
    _naming["cluster"] = is_wanted


def has_names_for_cluster() -> bool:
    """Whether keys have the names of a cluster."""
    return _naming["cluster"]


class KeyFamily(ABC):
    """The key names of one family. Apps subclass it to spell the names and to add their own keys."""

    @property
    def gen(self) -> str:
        """The generation; if missing or different from SQL's, Redis is unavailable for this family."""
        return self._key_name("gen")

    @property
    def seq(self) -> str:
        """The counter that versions come from."""
        return self._key_name("seq")

    @property
    def dirty(self) -> str:
        """Hash: the version of each row that the mirror has not copied to SQL yet."""
        return self._key_name("dirty")

    @property
    def watermark(self) -> str:
        """If SQL decides: Redis has every change of SQL transactions with a number below this one."""
        return self._key_name("followed")

    @property
    @abstractmethod
    def all_keys(self) -> tuple[str, ...]:
        """The keys that are deleted when the family is emptied."""

    @abstractmethod
    def _key_name(self, name: str) -> str:
        """Spell the key of ``name`` in this family."""

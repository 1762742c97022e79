"""The names of the keys that every family in Redis has beside its own."""


class KeyFamily:
    """Names of one family's keys: an app says how they are spelled, and which others there are."""

    @property
    def gen(self) -> str:
        """The generation: missing or different means that Redis is away for this family."""
        return self._key_name("gen")

    @property
    def seq(self) -> str:
        """The counter that versions come from."""
        return self._key_name("seq")

    @property
    def dirty(self) -> str:
        """Hash: a mark for each row that the mirror has not copied yet, with its version."""
        return self._key_name("dirty")

    @property
    def watermark(self) -> str:
        """The first transaction of SQL that may have been under way when Redis had all before it (SQL decides)."""
        return self._key_name("followed")

    @property
    def all_keys(self) -> tuple[str, ...]:
        """All of them that are emptied together."""
        raise NotImplementedError

    def _key_name(self, name: str) -> str:
        raise NotImplementedError

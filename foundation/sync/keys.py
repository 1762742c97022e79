"""The names of the keys that every family in Redis has beside its own."""


class FamilyKeys:
    """Names of one family's keys: an app says how they are spelled, and which others there are."""

    @property
    def gen(self) -> str:
        """The generation: missing or different means that Redis is away for this family."""
        return self._beside("gen")

    @property
    def seq(self) -> str:
        """The counter that versions come from."""
        return self._beside("seq")

    @property
    def dirty(self) -> str:
        """Hash: a mark for each row that the mirror has not copied yet, with its version."""
        return self._beside("dirty")

    @property
    def followed(self) -> str:
        """The first transaction of SQL that may have been under way when Redis had all before it (SQL decides)."""
        return self._beside("followed")

    @property
    def every(self) -> tuple[str, ...]:
        """All of them that are emptied together."""
        raise NotImplementedError

    def _beside(self, name: str) -> str:
        raise NotImplementedError

"""The storages of the contract, and what one of them cannot do."""

from leaderboards.core.ranking.rules import Ties

COMPLETE = ("sql", "hybrid", "redis")  # they can do everything
STORAGES = (*COMPLETE, "dynamodb")


def storages_of(nth: int) -> tuple[str, ...]:
    """The storages for the nth form. DynamoDB's stand-in takes some hundred times as long: it has each third form."""
    return COMPLETE if nth % 3 else STORAGES


# What a storage refuses: rules of ranking, and what is read. docs/storage.md has this table for users.
NOT_AVAILABLE: dict[str, frozenset[object]] = {
    "dynamodb": frozenset({Ties.DENSE, "distribution", "export of a running period"})
}


def can(storage: str, what: object) -> bool:
    """Whether a storage can do it."""
    return what not in NOT_AVAILABLE.get(storage, ())

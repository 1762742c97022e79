"""Errors of likes, one class for each; ``code`` is part of the API's contract."""

from foundation.errors import NotFound, Unavailable


class UnknownKind(NotFound):
    """The kind is not registered."""

    code = "unknown_kind"


class UnknownThing(NotFound):
    """There is no thing of the kind with this id."""

    code = "unknown_thing"


class LikesUnavailable(Unavailable):
    """The server that decides these likes is unavailable; nothing has changed."""


class LikeOutcomeUnknown(Unavailable):
    """The server that decides did not answer in time: the like counts or not. It is safe to retry."""

    code = "outcome_unknown"

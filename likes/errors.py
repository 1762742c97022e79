"""What likes can refuse, one class each; ``code`` is part of the API's contract."""

from foundation.errors import NotFound, Unavailable


class UnknownKind(NotFound):
    """Nothing of this kind can be liked."""

    code = "unknown_kind"


class UnknownThing(NotFound):
    """Nothing of the kind has this id."""

    code = "unknown_thing"


class LikesUnavailable(Unavailable):
    """What decides over these likes is away; nothing has changed."""


class LikeOutcomeUnknown(Unavailable):
    """What decides did not answer in time: the like counts or not. It is safe to ask for it again."""

    code = "outcome_unknown"

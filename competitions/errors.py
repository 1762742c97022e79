"""What a competition can refuse, one class each; ``code`` is part of the API's contract."""

from foundation.errors import Conflict, Forbidden, Invalid, NotFound


class BadCompetition(Invalid):
    """Settings that cannot work; ``field`` names the one to blame."""

    code = "bad_competition"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class NotAParticipant(NotFound):
    """The player does not take part in this competition."""

    code = "not_joined"


class NotOpenYet(Conflict):
    """The competition is a draft: nobody can join."""

    code = "not_open"


class JoiningOver(Conflict):
    """It is too late to join."""

    code = "joining_over"


class AlreadyJoined(Conflict):
    """The player takes part already."""

    code = "already_joined"


class WrongCode(Forbidden):
    """The code does not open this competition."""

    code = "wrong_code"


class NotInvited(Forbidden):
    """The player is not on the competition's list."""

    code = "not_invited"


class CompetitionFull(Conflict):
    """As many take part as may."""

    code = "competition_full"


class Disqualified(Forbidden):
    """The player was disqualified and cannot join again."""

    code = "disqualified"


class CompetitionOver(Conflict):
    """The competition has ended or was cancelled; this cannot be done any more."""

    code = "competition_over"


class NotRevealable(Conflict):
    """There is nothing hidden, or the result is not final yet."""

    code = "not_revealable"


class BadPreference(Invalid):
    """A wish about notices that cannot be kept; ``field`` names the one to blame."""

    code = "bad_preference"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class NotFinal(NotFound):
    """There is no final result, or it is hidden still."""

    code = "not_final"


class BadComment(Invalid):
    """A text that no comment can have; ``reason`` is ``empty``, ``long``, ``lines`` or ``unprinted``."""

    code = "bad_comment"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class UnknownComment(NotFound):
    """There is no such comment, or it is not the caller's, or nobody may see it any more."""

    code = "unknown_comment"


class CommentsClosed(Conflict):
    """The competition has not been published, or was over long ago: nobody comments on it."""

    code = "comments_closed"


class CommentHidden(Conflict):
    """A moderator has hidden it; its author may delete it, and no more."""

    code = "comment_hidden"


class OwnComment(Forbidden):
    """Nobody likes his own comment."""

    code = "own_comment"


class NoLeague(NotFound):
    """The board has no league, or had none in this period."""

    code = "no_league"


class NotInLeague(NotFound):
    """The player is in no group of the board's league, and never was, or is not shown."""

    code = "not_in_league"

"""Refusals as exceptions: a kind for each HTTP status, and below it a class for each ``code`` that callers tell apart.

Catch the class where you can do something about it, else the kind. A code that this version does not know comes as its
kind. What to do about each is in advice.py, and at the end of the message.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from sunwi_client.advice import advice


class SunwiError(Exception):
    """Anything that this client raises about a request."""

    retry_after: float | None = None


class NoAnswer(SunwiError):
    """Nothing came back in time: whether the request was obeyed nobody knows. Scores may be sent again as they are."""


class NotSunwi(SunwiError):
    """What answered is not the API: look at the site's address, and at what stands before it."""


class Refused(SunwiError):
    """The server said no. ``code`` is for programs and stays; ``detail`` is a sentence for people."""

    code: str = ""
    known: ClassVar[dict[str, type["Refused"]]] = {}

    def __init_subclass__(cls, code: str = "") -> None:
        if code:
            cls.code = code
            Refused.known[code] = cls

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.code = str(problem.get("code", self.code))
        self.detail = str(problem.get("detail", ""))
        self.errors: Sequence[Mapping[str, str]] = problem.get("errors", ())
        self.retry_after = retry_after
        super().__init__(" ".join(filter(None, (f"{status} {self.code}:", self.detail, self.todo))))

    @property
    def todo(self) -> str:
        """What to do about it, in a sentence; empty for a code that this version does not know."""
        return advice(self.code)


class Invalid(Refused):
    """400, 405, 411, 413, 415, 422: the request is of the wrong shape."""


class KeyRefused(Refused, code="unauthenticated"):
    """401: no key, a wrong one, or one without the signature that it demands."""


class Forbidden(Refused, code="forbidden"):
    """403: the key, the address or the player may not do this."""


class NotFound(Refused, code="not_found"):
    """404: there is none."""


class Conflict(Refused, code="conflict"):
    """409: it clashes with what is there."""


class RateLimited(Refused, code="rate_limited"):
    """429: too many requests. Nothing of this one was done."""


class ServerFault(Refused, code="server_error"):
    """500: a fault on the server's side."""


class Unavailable(Refused, code="unavailable"):
    """502, 503, 504: what answers or decides is away."""


class BodyTooLarge(Invalid, code="body_too_large"):
    """Over 1 MiB."""


class InvalidRequest(Invalid, code="invalid_request"):
    """Parameters or a body of the wrong shape; ``errors`` says where."""


class BadPlayer(Invalid, code="bad_player"):
    """No player's id."""


class BadName(Invalid, code="bad_name"):
    """No name of a team."""


class SignatureMissing(KeyRefused, code="signature_missing"):
    """The key demands signatures."""


class SignatureExpired(KeyRefused, code="signature_expired"):
    """Signed by a clock that is off."""


class SignatureWrong(KeyRefused, code="signature_wrong"):
    """Not signed with this key's secret, or changed on the way."""


class SignatureUnexpected(KeyRefused, code="signature_unexpected"):
    """The key has no signing secret."""


class Replayed(KeyRefused, code="replayed"):
    """A signature was used twice."""


class AddressForbidden(Forbidden, code="address_forbidden"):
    """The key is bound to other addresses."""


class HttpsRequired(Forbidden, code="https_required"):
    """Plain http where the site has https."""


class Banned(Forbidden, code="banned"):
    """The player may not take part."""


class Disqualified(Forbidden, code="disqualified"):
    """The player may not take part in this competition any more."""


class NotInvited(Forbidden, code="not_invited"):
    """The competition is open to a list of players."""


class WrongCode(Forbidden, code="wrong_code"):
    """Not the competition's code."""


class WrongTeamCode(Forbidden, code="wrong_team_code"):
    """Not the team's code."""


class OwnComment(Forbidden, code="own_comment"):
    """Nobody likes what they wrote themselves."""


class UnknownBoard(NotFound, code="unknown_board"):
    """No board of this number."""


class UnknownPeriod(NotFound, code="unknown_period"):
    """No period of this label, or none whose standings are read here."""


class UnknownCompetition(NotFound, code="unknown_competition"):
    """No competition of this number."""


class NotRanked(NotFound, code="not_ranked"):
    """The player has no score there."""


class NotJoined(NotFound, code="not_joined"):
    """The player does not take part."""


class NotFinal(NotFound, code="not_final"):
    """There is no result yet."""


class UnknownTeam(NotFound, code="unknown_team"):
    """No such team."""


class UnknownDivision(NotFound, code="unknown_division"):
    """No such division."""


class UnknownThing(NotFound, code="unknown_thing"):
    """Nothing to like."""


class AlreadyJoined(Conflict, code="already_joined"):
    """The player takes part already."""


class JoiningOver(Conflict, code="joining_over"):
    """Too late to join."""


class CompetitionOver(Conflict, code="competition_over"):
    """It has ended."""


class CompetitionFull(Conflict, code="competition_full"):
    """As many take part as may."""


class TeamFull(Conflict, code="team_full"):
    """As many are in the team as may."""


class PeriodClosed(Conflict, code="period_closed"):
    """The period takes no more."""


class OutcomeUnknown(Unavailable, code="outcome_unknown"):
    """What decides did not say what became of it."""


KINDS: Mapping[int, type[Refused]] = {
    **dict.fromkeys((400, 405, 411, 413, 415, 422), Invalid),
    401: KeyRefused,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    429: RateLimited,
    500: ServerFault,
    **dict.fromkeys((502, 503, 504), Unavailable),
}


def refusal(status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> Refused:
    """The exception for what the server answered, to be raised."""
    kind = KINDS.get(status, Refused)
    exact = Refused.known.get(str(problem.get("code")), kind)
    return (exact if issubclass(exact, kind) else kind)(status, problem, retry_after)

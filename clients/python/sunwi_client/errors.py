"""The exceptions: a base class for each HTTP status, and subclasses for single error codes.

Catch a subclass if you can handle that code, otherwise the base class. A code that this version does not know is
raised as its base class. The message ends with what to do (advice.py).
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from sunwi_client.advice import advice
from sunwi_client.answers import Result


class SunwiError(Exception):
    """The base class of all errors of requests.

    ``status`` is that of the answer, None without one; ``request_id`` is what the server's log has the request under;
    ``retry_after`` is in seconds.
    """

    status: int | None = None
    retry_after: float | None = None
    request_id: str | None = None

    @property
    def is_temporary(self) -> bool:
        """Whether the same request may succeed later. What writes may have taken effect, and is safe only with ids."""
        return self.status is None or self.status >= 500 or self.status in (408, 429)


class NoAnswer(SunwiError):
    """No answer came in time, so the outcome is unknown. Scores can be sent again unchanged."""


class NotSunwi(SunwiError):
    """The answer is not from the API: check the site's address, and proxies in front of it."""

    def __init__(self, status: int, why: str, content: bytes) -> None:
        self.status = status
        super().__init__(f"{status} {why}: {content[:100]!r}")


class Refused(SunwiError):
    """The server answered with an error. ``code`` is stable and for programs; ``detail`` is a sentence for people.

    ``results`` are those of the scores, in their order, if the server refused each of them (503); else empty.
    """

    code: str = ""
    known: ClassVar[dict[str, type["Refused"]]] = {}

    def __init_subclass__(cls, code: str = "") -> None:
        if code:
            cls.code = code
            Refused.known[code] = cls

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        self.status: int = status
        self.code = str(problem.get("code", self.code))
        detail, errors = problem.get("detail"), problem.get("errors")  # whoever answered: of any type
        self.detail = detail if isinstance(detail, str) else ""
        self.errors: Sequence[Mapping[str, str]] = errors if isinstance(errors, list) else ()
        self.results: Sequence[Result] = _results_of(problem.get("results"))
        self.retry_after = retry_after
        super().__init__(" ".join(filter(None, (f"{status} {self.code}:", self.detail, self.todo))))

    @property
    def todo(self) -> str:
        """What to do about it, in a sentence; empty for a code that this version does not know."""
        return advice(self.code)


def _results_of(given: object) -> Sequence[Result]:
    """The results if they are such; whoever answered may have sent anything."""
    told = given if isinstance(given, list) else []
    are_results = all(isinstance(each, dict) and isinstance(each.get("status"), str) for each in told)
    return cast(list[Result], told) if are_results else ()


class Invalid(Refused):
    """400, 405, 411, 413, 415, 422: the request is of the wrong shape."""


class KeyRefused(Refused, code="unauthenticated"):
    """401: no key, a wrong one, or one without the signature that it demands."""


class Forbidden(Refused, code="forbidden"):
    """403: the key, the address or the player may not do this."""


class NotFound(Refused, code="not_found"):
    """404: it does not exist."""


class Conflict(Refused, code="conflict"):
    """409: it conflicts with the stored state."""


class RateLimited(Refused, code="rate_limited"):
    """429: too many requests. Nothing of this one was done."""


class ServerFault(Refused, code="server_error"):
    """500: an error of the server."""


class Unavailable(Refused, code="unavailable"):
    """502, 503, 504: the server, or one that it needs, is unavailable."""


class BodyTooLarge(Invalid, code="body_too_large"):
    """Over 1 MiB."""


class InvalidRequest(Invalid, code="invalid_request"):
    """Parameters or a body of the wrong shape; ``errors`` says where."""


class BadPlayer(Invalid, code="bad_player"):
    """Not a valid player id."""


class BadName(Invalid, code="bad_name"):
    """Not a valid team name."""


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
    """The site requires https."""


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
    """Players cannot like their own comments."""


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
    """The competition has no place left."""


class TeamFull(Conflict, code="team_full"):
    """The team has no place left."""


class PeriodClosed(Conflict, code="period_closed"):
    """The period takes no more."""


class OutcomeUnknown(Unavailable, code="outcome_unknown"):
    """The deciding server did not answer in time: it is unknown whether the request took effect."""


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
    """Build the exception for an error answer."""
    kind = KINDS.get(status, Refused)
    exact = Refused.known.get(str(problem.get("code")), kind)
    return (exact if issubclass(exact, kind) else kind)(status, problem, retry_after)

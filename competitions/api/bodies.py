"""Request bodies of joining, choosing a team, and creating a team."""

from django.http import HttpRequest

from competitions.services.participants.teams import TeamChoice
from foundation.http.problems import BadRequest
from leaderboards.api.http.bodies import object_of

LONGEST_CODE = 40


def joining(request: HttpRequest) -> tuple[str, TeamChoice]:
    """Read the code, and team and division by number; the body is optional. Raises ``BadRequest``."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length == "0" and "HTTP_TRANSFER_ENCODING" not in request.META:
        return "", TeamChoice()
    body = object_of(request, ("code", "division", "team", "team_code"))
    choice = TeamChoice(team=_number(body, "team"), division=_number(body, "division"), code=_code(body, "team_code"))
    return _code(body, "code"), choice


def team_wanted(request: HttpRequest) -> TeamChoice:
    """Read the chosen team and its code; null for no team. Raises ``BadRequest``."""
    body = object_of(request, ("team", "team_code"))
    if "team" not in body:
        raise _bad("team", "`team` is missing: send a team's number, or null for none.")
    return TeamChoice(team=_number(body, "team"), code=_code(body, "team_code"))


def name_given(request: HttpRequest) -> str:
    """Read the name of a team. Raises ``BadRequest`` if it is not a string."""
    name = object_of(request, ("name",)).get("name")
    if isinstance(name, str):
        return name
    raise _bad("name", "`name` must be a text.")


def _code(body: dict[str, object], name: str) -> str:
    code = body.get(name, "")
    if isinstance(code, str) and len(code) <= LONGEST_CODE:
        return code
    raise _bad(name, f"`{name}` must be a text of up to {LONGEST_CODE} characters.")


def _number(body: dict[str, object], name: str) -> int | None:
    value = body.get(name)
    if value is None or type(value) is int:  # and not bool
        return value
    raise _bad(name, f"`{name}` must be a whole number, or null for none.")


def _bad(name: str, detail: str) -> BadRequest:
    return BadRequest(detail, [{"pointer": f"#/{name}", "detail": detail}])

"""How a board that Redis decides keeps a standing's value and time: in the score, the member, or beside them."""

from leaderboards.core.ranking.policies import StandingState
from leaderboards.models import Part


def lua_form(period: Part) -> str:
    """Where the scripts find a standing's time: in the score, the member, or ``stored_state`` ("plain")."""
    layout = period.layout
    if layout.decodes_in_lua:
        return "score"
    return "member" if layout.in_member else "plain"


def lua_time(period: Part, at_ms: int) -> str:
    """Return a time as the scripts compare it: a number if it is in the score, else a text of 19 digits."""
    layout = period.layout
    if layout.decodes_in_lua:
        return str(layout.time_field(at_ms))
    return f"{at_ms:019d}" if stores_state(period) else layout.time_text(at_ms)


def stores_state(period: Part) -> bool:
    """Whether Redis stores ``time|value`` beside the score, for the scripts to compare."""
    return bool(period.rules.criteria) or lua_form(period) == "plain"


def stored_state_text(period: Part, state: StandingState) -> str:
    """Return what is stored beside the score, "" if nothing is."""
    return f"{state.at_ms:019d}|{period.layout.sortable_text(state.value)}" if stores_state(period) else ""


def state_from(period: Part, score: float, member: str, stored_state: str) -> StandingState:
    """Return a standing of Redis as the policies take it. If Redis has no time, it is 0."""
    unpacked = period.layout.unpack(score, member)
    if unpacked.at_ms is None:
        return StandingState(unpacked.value, int(stored_state[:19]) if stored_state else 0)
    return StandingState(unpacked.value, unpacked.at_ms)

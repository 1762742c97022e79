"""Check the team settings of a competition: whether the board's scores can be added up, and the limits."""

from competitions.errors import BadCompetition
from competitions.models import Competition, TeamEntry, TeamScore
from foundation.messages import Message
from leaderboards.core.ranking.rules import Order, Rules


def check_teams(competition: Competition) -> None:
    """Raise ``BadCompetition``, with the invalid field, if teams cannot be ranked with these settings."""
    if not competition.has_teams:
        _refuse_leftovers(competition)
        return
    rules, counts, size = competition.board.rules, competition.team_counts, competition.team_size
    _check_score(competition.team_score, rules)
    if competition.team_score == TeamScore.BEST and counts is not None:
        raise BadCompetition(Message("By its best member one counts alone: leave this empty."), "team_counts")
    if competition.team_score == TeamScore.SUM and rules.order is Order.ASC and counts is None:
        raise BadCompetition(
            Message("Where less is better, a sum needs a number of members that count: give one, or take the average."),
            "team_counts",
        )
    if competition.team_entry == TeamEntry.CODE and not competition.team_founding:
        raise BadCompetition(Message("Codes are of teams that players found: let players found teams."), "team_entry")
    if counts is not None and size is not None and counts > size:
        raise BadCompetition(
            Message("More members count than a team may have: lower this, or raise the other."), "team_counts"
        )


def _check_score(team_score: str, rules: Rules) -> None:
    if not rules.of_points and team_score != TeamScore.BEST:
        raise BadCompetition(
            Message("This board ranks by criteria, which cannot be added up: let teams rank by their best member."),
            "team_score",
        )


def _refuse_leftovers(competition: Competition) -> None:
    """Refuse team settings without a team ranking: they would have no effect."""
    given = [getattr(competition, field) for field in ("team_counts", "team_size", "team_founding")]
    if any(given) or competition.team_entry != TeamEntry.OPEN:
        raise BadCompetition(
            Message("Choose what teams rank by, or leave the other settings of teams empty."), "team_score"
        )

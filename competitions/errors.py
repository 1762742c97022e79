"""What a competition can refuse, one class each; ``code`` is part of the API's contract."""

from foundation.errors import Conflict, Forbidden, Invalid, NotFound, Unavailable


class BadCompetition(Invalid):
    """Settings that cannot work; ``field`` names the one to blame."""

    code = "bad_competition"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class CompetitionBusy(Unavailable):
    """Somebody else holds the competition's row for longer than SQL lets us wait."""


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
    """There is nothing hidden, or the competition is not closed yet."""

    code = "not_revealable"


class NotClosed(Conflict):
    """The competition is not closed yet: there is no result to judge or to confirm."""

    code = "not_closed"


class NotVoided(Conflict):
    """The score was never voided: there is nothing to restore."""

    code = "not_voided"


class BadPreference(Invalid):
    """A wish about notices that cannot be kept; ``field`` names the one to blame."""

    code = "bad_preference"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class NotFinal(NotFound):
    """There is no final result, or it is hidden still."""

    code = "not_final"


class UnknownRevision(NotFound):
    """A final result has no revision of this number."""

    code = "unknown_revision"


class RewardRevoked(Conflict):
    """The reward does not stand any more, or nobody took it back by hand."""

    code = "reward_revoked"


class NotEarned(Conflict):
    """The player does not earn the reward by the result as it is now."""

    code = "not_earned"


class PassedOver(NotEarned):
    """The player would earn the reward, but another one was taken back so that the next in line get all of theirs."""

    code = "passed_over"


class BadComment(Invalid):
    """A text that no comment can have; ``reason`` is ``empty``, ``long``, ``lines``, ``unprinted`` or ``turning``."""

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
    """Nobody likes their own comment."""

    code = "own_comment"


class BadSeries(Invalid):
    """Settings of a series that cannot work; ``field`` names the one to blame."""

    code = "bad_series"

    def __init__(self, detail: str, field: str = "") -> None:
        super().__init__(detail)
        self.field = field


class UnknownSeries(NotFound):
    """There is no series of this number, or the caller may not know of it."""

    code = "unknown_series"


class SeriesHasResults(Conflict):
    """The series has counted results: it is not deleted."""

    code = "series_has_results"


class BadName(Invalid):
    """A name that no team or division can have."""

    code = "bad_name"
    field = "name"


class NoTeams(NotFound):
    """The competition has no teams."""

    code = "no_teams"


class UnknownTeam(NotFound):
    """There is no such team in this competition."""

    code = "unknown_team"


class GroupsFinal(Conflict):
    """The published result names the teams and divisions: none is made, renamed or deleted any more."""

    code = "groups_final"


class UnknownDivision(NotFound):
    """There is no such division in this competition."""

    code = "unknown_division"


class NameTaken(Conflict):
    """A team of the competition has the name already."""

    code = "name_taken"
    field = "name"


class TeamFull(Conflict):
    """As many are in the team as may."""

    code = "team_full"


class WrongTeamCode(Forbidden):
    """The code does not open this team."""

    code = "wrong_team_code"
    field = "team_code"


class NotFounder(Forbidden):
    """Only who founded a team, and is in it, renews its code."""

    code = "not_founder"


class FoundingClosed(Forbidden):
    """Players do not found teams in this competition: those who run it make them."""

    code = "founding_closed"


class TeamsFixed(Conflict):
    """The competition has started: who is in which team is changed by those who run it."""

    code = "teams_fixed"


class DivisionFixed(Conflict):
    """The player was in another division before: those who run the competition change it."""

    code = "division_fixed"


class NoLeague(NotFound):
    """The board has no league, or had none in this period."""

    code = "no_league"


class NotInLeague(NotFound):
    """The player is in no group of the board's league, and never was, or is not shown."""

    code = "not_in_league"


class NotOfTheJury(Forbidden):
    """Anybody who judges a closed competition may change competitions."""

    code = "not_of_the_jury"

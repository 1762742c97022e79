"""The errors of competitions; ``code`` is part of the API's contract."""

from foundation.errors import Conflict, Forbidden, Invalid, InvalidField, NotFound, Unavailable


class BadCompetition(InvalidField):
    """Invalid settings; ``field`` names the invalid one."""

    code = "bad_competition"


class CompetitionBusy(Unavailable):
    """Another transaction held the competition's row for longer than the lock timeout."""


class BadSubscription(Invalid):
    """A browser's subscription to notices that cannot be used."""

    code = "bad_subscription"


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
    """The competition has its maximum number of participants."""

    code = "competition_full"


class Disqualified(Forbidden):
    """The player was disqualified and cannot join again."""

    code = "disqualified"


class CompetitionStarted(Conflict):
    """The competition has started: nobody is reminded of its start any more."""

    code = "competition_started"


class CompetitionOver(Conflict):
    """The competition has ended or was cancelled; this cannot be done any more."""

    code = "competition_over"


class NotRevealable(Conflict):
    """Nothing is hidden, or the competition is not closed yet."""

    code = "not_revealable"


class NotClosed(Conflict):
    """The competition is not closed yet: there is no result to judge or to confirm."""

    code = "not_closed"


class NotVoided(Conflict):
    """The score was never voided: there is nothing to restore."""

    code = "not_voided"


class BadPreference(InvalidField):
    """An invalid notice setting; ``field`` names the invalid one."""

    code = "bad_preference"


class NotFinal(NotFound):
    """There is no final result, or it is still hidden."""

    code = "not_final"


class UnknownRevision(NotFound):
    """A final result has no revision of this number."""

    code = "unknown_revision"


class RewardRevoked(Conflict):
    """The reward was revoked already, or staff did not take it back."""

    code = "reward_revoked"


class NotEarned(Conflict):
    """The player does not earn the reward by the current result."""

    code = "not_earned"


class PassedOver(NotEarned):
    """The player is passed over for all rewards since staff took one back; the next players earn them."""

    code = "passed_over"


class BadComment(Invalid):
    """An invalid comment; ``reason`` is ``empty``, ``long``, ``lines``, ``unprinted`` or ``turning``."""

    code = "bad_comment"

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


class UnknownComment(NotFound):
    """The comment does not exist, belongs to another player, or is not visible any more."""

    code = "unknown_comment"


class CommentsClosed(Conflict):
    """The competition is not published, or ended so long ago that comments are closed."""

    code = "comments_closed"


class CommentHidden(Conflict):
    """A moderator has hidden the comment; its author may only delete it."""

    code = "comment_hidden"


class OwnComment(Forbidden):
    """Players cannot like their own comments."""

    code = "own_comment"


class BadSeries(InvalidField):
    """Invalid settings of a series; ``field`` names the invalid one."""

    code = "bad_series"


class UnknownSeries(NotFound):
    """There is no series of this number, or the caller may not see it."""

    code = "unknown_series"


class SeriesHasResults(Conflict):
    """The series has counted results and cannot be deleted."""

    code = "series_has_results"


class BadName(Invalid):
    """An invalid name of a team or division."""

    code = "bad_name"
    field = "name"


class NoTeams(NotFound):
    """The competition has no teams."""

    code = "no_teams"


class UnknownTeam(NotFound):
    """There is no such team in this competition."""

    code = "unknown_team"


class GroupsFinal(Conflict):
    """The result that names the teams and divisions is published: none can be added, renamed or deleted."""

    code = "groups_final"


class UnknownDivision(NotFound):
    """There is no such division in this competition."""

    code = "unknown_division"


class NameTaken(Conflict):
    """A team of the competition has the name already."""

    code = "name_taken"
    field = "name"


class TeamFull(Conflict):
    """The team has its maximum number of members."""

    code = "team_full"


class WrongTeamCode(Forbidden):
    """The code does not open this team."""

    code = "wrong_team_code"
    field = "team_code"


class NotFounder(Forbidden):
    """Only the founder of a team, while a member of it, can renew its code."""

    code = "not_founder"


class FoundingClosed(Forbidden):
    """Players cannot found teams in this competition; the organizers create them."""

    code = "founding_closed"


class TeamsFixed(Conflict):
    """The competition has started: only the organizers can change who is in which team."""

    code = "teams_fixed"


class DivisionFixed(Conflict):
    """The player was in another division before: only the organizers can change it."""

    code = "division_fixed"


class NoLeague(NotFound):
    """The board has no league, or had none in this period."""

    code = "no_league"


class NotInLeague(NotFound):
    """The player never was in a group of the board's league, or is not shown."""

    code = "not_in_league"


class NotOfTheJury(Forbidden):
    """The caller lacks the permission to change competitions, which judging a closed one needs."""

    code = "not_of_the_jury"

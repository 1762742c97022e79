"""Translations of the error messages of competitions; ``leaderboards.refusals`` says how a message is recognised."""

from django.utils.translation import gettext_noop

from leaderboards import refusals

SENTENCES = (
    *refusals.SENTENCES,
    gettext_noop("Somebody else is changing this competition; nothing was done. Try again in some seconds."),
    gettext_noop("It is a draft: delete it instead."),
    gettext_noop("It was cancelled before."),
    gettext_noop("It is final: its result stays."),
    gettext_noop("It has ended meanwhile: its end cannot be moved any more."),
    gettext_noop("It is a draft: change its end in its form."),
    gettext_noop("It was cancelled: its end cannot be moved."),
    gettext_noop("The new end lies in the past."),
    gettext_noop("A competition must end after it starts."),
    gettext_noop("Give a reason of 1 to %(longest)s characters."),
    gettext_noop("The competition was cancelled; its record stays."),
    gettext_noop("The competition was cancelled."),
    gettext_noop("The competition is closed: a participant can be disqualified, and the row stays."),
    gettext_noop("%(player)s does not take part in this competition."),
    gettext_noop("%(player)s does not take part any more."),
    gettext_noop("Its standings are not frozen: there is nothing to reveal."),
    gettext_noop("It is not closed yet: reveal its result once it is."),
    gettext_noop("It was cancelled: it has no result to confirm."),
    gettext_noop("It is not closed yet: its result can be confirmed once it is."),
    gettext_noop("It is not closed yet: a late score can be accepted once it is."),
    gettext_noop("It is being closed: try again in a moment."),
    gettext_noop("The score is not one of competition %(number)s."),
    gettext_noop("%(player)s is disqualified: reinstate them first."),
    gettext_noop("%(player)s does not take part any more: bring them back first."),
    gettext_noop("This score is not void: it counts as it is."),
    gettext_noop("All %(places)s places are taken."),
    gettext_noop("The score must have happened in the competition: from %(start)s to before %(end)s (%(zone)s)."),
    gettext_noop("%(player)s takes part since %(since)s (%(zone)s): what happened before does not count."),
    gettext_noop("This form has been used for another score: open it anew."),
    gettext_noop("This reward does not stand any more: there is nothing to take back."),
    gettext_noop("Nobody has taken this reward back by hand: it follows the result."),
    gettext_noop("Rewards of this board are granted once: take it back so that nobody else gets it."),
    gettext_noop("The player does not earn this reward by the result as it is now."),
    gettext_noop(
        "%(player)s is passed over for all rewards, since this was taken back: %(rewards)s. Give that back first, or "
        "together with this one."
    ),
    gettext_noop("Competitions lie in the years %(first)s to %(last)s."),
    gettext_noop("A competition must end after it starts: move its end."),
    gettext_noop("The end lies in the past: move it."),
    gettext_noop("A competition needs a board of period `event`; this one has its own calendar."),
    gettext_noop("The board is retired: take another."),
    gettext_noop("Redis, which decides for this board, cannot count attempts: leave them open, or take another board."),
    gettext_noop("Joining by code needs a code."),
    gettext_noop("Joining must be possible for a while, and only until the end."),
    gettext_noop("%(language)s is no language of this site."),
    gettext_noop("Quiet hours begin and end at a full hour, 0 to 23."),
    gettext_noop("Give the points of 1 to %(most)s places, the first place first: 25 18 15."),
    gettext_noop("“%(typed)s” is no number of points: 0 to %(most)s, without decimals."),
    gettext_noop("Place %(worse)s would earn more than place %(better)s: give it fewer points, or as many."),
    gettext_noop("A series has at most %(most)s competitions."),
    gettext_noop("“%(competition)s” is private, and the totals tell of it: leave it out, or make the series private."),
    gettext_noop("This series has counted results: it stays. Retire its board to end it."),
    gettext_noop("The standings cannot be frozen now, and nothing may come before; try again."),
    gettext_noop("The standings in Redis are being settled."),
    gettext_noop("The picture has %(size)s MB; at most 5 MB are taken."),
    gettext_noop("This is no picture that can be read: take a JPEG, PNG, WebP or GIF file."),
    gettext_noop("The picture has more than 40 million pixels: make it smaller first."),
    gettext_noop(
        "The freeze is longer than the competition, which lasts %(whole)s minutes: take that many to hide its "
        "standings from the start, or fewer."
    ),
    gettext_noop("By its best member one counts alone: leave this empty."),
    gettext_noop("Where less is better, a sum needs a number of members that count: give one, or take the average."),
    gettext_noop("More members count than a team may have: lower this, or raise the other."),
    gettext_noop("This board ranks by criteria, which cannot be added up: let teams rank by their best member."),
    gettext_noop("Choose what teams rank by, or leave the other settings of teams empty."),
    gettext_noop("The name holds a character that is not shown: leave it out."),
    gettext_noop("Give a name that can be seen."),
    gettext_noop("The name has %(length)s characters; up to %(longest)s are allowed."),
    gettext_noop("A team has this name already: take another name, or that team."),
    gettext_noop("Players do not found teams here: choose one of those there are."),
    gettext_noop("Codes are of teams that players found: let players found teams."),
    gettext_noop("This code does not open the team: ask its founder for the present one."),
    gettext_noop("This code opens no team: ask the founder of yours for the present one."),
    gettext_noop("Only who founded a team, and is in it, renews its code."),
    gettext_noop("This competition has no teams."),
    gettext_noop("The result is final: its teams and divisions stay as they were published."),
    gettext_noop("All %(places)s places of this team are taken."),
    gettext_noop("There is no team %(number)s in this competition."),
    gettext_noop("There is no division %(number)s in this competition."),
    gettext_noop(
        "On this board a competition lasts at most %(days)s days, so that the time left fits its scores. %(why)s"
    ),
)


def translated(detail: str) -> str:
    """Return an error's ``detail`` in the active language, or in English if the message is unknown."""
    return refusals.translated(detail, SENTENCES)

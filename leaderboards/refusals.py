"""Translate the details of errors for pages and the admin; the API answers in English.

The core has no translations, so its English details are matched here by their text. A detail that is not listed stays
English; a test checks that every listed sentence is still raised somewhere.
"""

import re
from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

_PLACEHOLDER = re.compile(r"%\((\w+)\)s")

SENTENCES = (
    # boards
    gettext_noop(
        "It contains a mark that turns the direction of the text around it: type it anew instead of pasting it."
    ),
    gettext_noop(
        "It contains a character that cannot be shown, such as a control character or a line break: take it out."
    ),
    gettext_noop("Criteria cannot be added up: choose `best` or `latest`, or a board of points."),
    gettext_noop("Fields are whole numbers: set `decimals` to 0."),
    gettext_noop("`decimals` is 0 to %(most)s."),
    gettext_noop("`decimals` is a whole number from 0 to 6."),
    gettext_noop("`minimum` %(least)s lies above `maximum` %(most)s: lower the one or raise the other."),
    gettext_noop(
        "`maximum` %(most)s is more than a standing can hold: lower it to `total_maximum`, %(total)s, "
        "or raise `total_maximum`."
    ),
    gettext_noop("`minimum` is too low; the lowest is %(least)s."),
    gettext_noop("%(zone)s is no time zone. Use an IANA name such as Asia/Seoul."),
    gettext_noop("A week starts on one of: %(days)s."),
    gettext_noop("The cut-off is a local time in hours and minutes, 00:00 to 23:59."),
    gettext_noop("The cut-off is a local time such as 00:00 or 04:30."),
    gettext_noop("`schedule` has five fields (%(fields)s), such as `0 18 * * 5` for Fridays at 18:00."),
    gettext_noop("`schedule`: %(text)s is no %(field)s. There are numbers, 1-5, 1,3, */15 and *."),
    gettext_noop("The schedule never starts: no month has such a day."),
    gettext_noop("The schedule starts again after %(found)s min: at least %(least)s min must lie between two starts."),
    gettext_noop("`open_minutes` is a whole number of minutes, or empty."),
    gettext_noop("`open_minutes` is 1 to %(most)s, or empty."),
    gettext_noop(
        "The windows overlap: each is open for %(open)s min, and the next starts after %(between)s min. "
        "Set `open_minutes` to at most %(most)s, or leave it empty."
    ),
    gettext_noop("`schedule` is for boards whose `period` is `schedule`: leave it empty."),
    gettext_noop("`open_minutes` is for boards whose `period` is `schedule`: leave it empty."),
    gettext_noop("No window of the board was open on %(at)s UTC: the next one starts on %(opens)s UTC."),
    gettext_noop("No window of the board was open on %(at)s UTC: none follows."),
    gettext_noop("The board has no period beside %(label)s."),
    gettext_noop("`%(field)s` is one of: %(values)s."),
    gettext_noop("Each board needs a name of 1 to 100 characters."),
    gettext_noop("%(name)s: there is no setting %(setting)s; there are %(settings)s."),
    gettext_noop("`at` lies in the future; send it when it has happened, or mend the sender's clock."),
    gettext_noop(
        "`%(field)s` compares points, and this board ranks by criteria: leave it empty. "
        "`submissions_per_minute` works on every board."
    ),
    gettext_noop("`plausible_least` %(least)s lies above `plausible_most` %(most)s: lower the one or raise the other."),
    # addresses that a key is restricted to
    gettext_noop("%(text)s is no block of addresses: write 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32."),
    gettext_noop("%(text)s is no address that callers have: write IPv4 as 192.0.2.0/24, and IPv6 without a zone."),
    gettext_noop("%(text)s is not where its block begins: write %(block)s, or the one address without /."),
    gettext_noop("A key is bound to at most %(most)s blocks of addresses; use larger blocks."),
    # players and entries
    gettext_noop("`player` has %(number)s characters; 1 to %(most)s are allowed."),
    gettext_noop("`player` contains a control character, a line break or a mark that turns the writing round."),
    gettext_noop("`player` begins or ends with a blank."),
    gettext_noop("`player` contains `/` or `,`, which have a meaning in addresses."),
    gettext_noop("`points` must be %(least)s to %(most)s on this board."),
    gettext_noop('`points` must be a number or a decimal string, such as 150 or "12.50".'),
    gettext_noop("`points` %(points)s is no decimal number in ASCII digits, such as 150 or 12.50."),
    gettext_noop("`points` has %(places)s here: send an exact multiple of %(step)s."),
    gettext_noop("The number is far outside what any board allows."),
    gettext_noop("`at` must be an RFC 3339 time with an offset, such as 2026-11-20T08:59:58Z."),
    gettext_noop("`at` lies outside period %(period)s."),
    gettext_noop("The field %(name)s must be a whole number."),
    gettext_noop("The field `%(name)s` must be 0 to %(most)s on this board."),
    # undoing from the audit log
    gettext_noop("An act of this kind cannot be undone."),
    gettext_noop("This was undone before."),
    gettext_noop("It was changed again since: undo the later change first, or change it by hand."),
    gettext_noop("This ban does not stand any more: it was lifted, or another one came after it."),
    gettext_noop("The player is banned already."),
    gettext_noop("Nothing of it can be given back: only name, avatar, country and account can."),
    gettext_noop("It is not known any more whose the player was."),
    gettext_noop("There is no such account any more."),
    gettext_noop("This gives a player to another account: whoever may erase players may undo it."),
    gettext_noop("%(account)s is linked to another player: take that one from them first."),
    gettext_noop("The account of this player was changed a moment ago: look again."),
    gettext_noop("The score counts already."),
    gettext_noop("The score is void already."),
    gettext_noop("There is no such board any more, or nothing to give back."),
    gettext_noop("There is no such player any more."),
    gettext_noop("The submission was not kept: nothing can be done about it any more."),
    gettext_noop("This row sums up submissions that are not kept any more: void or restore it by hand."),
    gettext_noop("This does not stand any more: it was undone, or changed again since."),
    gettext_noop("This restriction was lifted before."),
    gettext_noop("This restriction was lifted before, and another like it was imposed since: lift that one."),
    gettext_noop("There is no such competition any more."),
    gettext_noop("There is no such participant any more."),
    gettext_noop("There is no such comment any more."),
    # temporary obstacles and closed periods
    gettext_noop("What decides for this board is away; try again."),
    gettext_noop(
        "This process's clock is %(off)s s off SQL's, so it does nothing that cannot be undone. "
        "Set the clock of its machine."
    ),
    gettext_noop("Too many requests for the same players or ids at once; try again."),
    gettext_noop("The store did not answer in time; send entries that have an `id` again."),
    gettext_noop("%(player)s has scored meanwhile: look again."),
    gettext_noop("%(player)s has no standing in this period."),
    gettext_noop("Board %(board)s holds the totals of %(whom)s: nobody else changes its standings."),
    gettext_noop("Period %(period)s is closed."),
    gettext_noop("Period %(period)s is closed; its standings stay as they are."),
    gettext_noop("Period %(period)s is not closed yet; try again when it is."),
    gettext_noop(
        "Submissions are kept %(days)s days after the closing and may be gone: "
        "none of them can be voided or restored any more."
    ),
    gettext_noop("The submission was not kept: it can not be restored any more."),
    gettext_noop("The player was erased: what they had stays as it is."),
    # moderation of scores
    gettext_noop("Say whose submissions: name a player, a board or a service key."),
    gettext_noop("The range ends before it begins."),
    gettext_noop("The range ends in the future: a purge is about what was received."),
    gettext_noop("Board %(seq)s keeps no submissions: set or remove standings of its running period instead."),
    gettext_noop("There is no such purge that could be undone."),
    gettext_noop("The submission was edited again since: undo the later edit first."),
    gettext_noop(
        "A score of a competition is not edited: void it, and accept the right one as a late score once the "
        "competition is closed."
    ),
    gettext_noop("This row sums up submissions that are not kept any more: no single value can be changed."),
    gettext_noop("The submission was not kept: it can not be edited any more."),
    gettext_noop(
        "The player has a score in %(number)s periods that are not final, such as %(period)s: anonymise once they are, "
        "or erase for good."
    ),
    gettext_noop("This board keeps submissions, which its standings follow from: edit or void those."),
    gettext_noop("A standing of a competition is not set: take the player out of it, or bring them back."),
    gettext_noop("%(player)s has another standing since: set it anew instead."),
    gettext_noop("The board has no running period yet."),
    gettext_noop("The page does not say which standing was seen: open it anew."),
    gettext_noop("There is no such player any more."),
    gettext_noop("There is no competition %(number)s."),
    gettext_noop("This player may not score."),
    gettext_noop("The import that made this score was undone since: import it again, or restore it by hand."),
    gettext_noop("No submission of its own was kept: set the standing, or void the late score, by hand."),
    gettext_noop("A purge has this score void too: undo the purge first, or restore the score by hand."),
    gettext_noop("This player may not score: lift the ban first, or void the entry."),
    gettext_noop(
        "It counts already: accept it to have that on record. Then void its score, or set the standing where the board "
        "keeps no scores."
    ),
    gettext_noop("It is not void any more: somebody has decided anew."),
    gettext_noop("It was voided: undo that in the audit log first."),
    gettext_noop("Whether it counts is not known yet: accept it again in a moment."),
    gettext_noop("Whether it counts cannot be asked now; try again."),
    gettext_noop("It cannot count any more, void it: %(why)s"),
    gettext_noop("It cannot count: %(why)s"),
    gettext_noop("Period %(period)s closed on %(when)s UTC."),
    gettext_noop(
        "Accepting it was begun on %(since)s UTC and not finished, and Redis does not know its id any more: look at "
        "the player's standing. If it counts, void this entry; if not, have the score sent anew."
    ),
    gettext_noop("There is no such entry any more: its player was erased, or it was decided long ago."),
    gettext_noop("The competition is closed: its jury alone takes scores now, who may change competitions."),
    gettext_noop(
        "The result is final: accept the score as a late one on its competition's page, which revises the result."
    ),
    gettext_noop("Period %(period)s is %(state)s, with what SQL had: drop the letter."),
    gettext_noop("Period %(period)s is being settled: try again when it is."),
    gettext_noop("This period's end follows from the calendar: it cannot be moved."),
    gettext_noop("It has ended: its end cannot be moved any more."),
    gettext_noop("The new end must lie ahead of now and behind the start: choose a later time."),
    gettext_noop("It would run too long, choose an earlier end: %(why)s"),
    gettext_noop("A standing does not fit with the new end: %(why)s"),
    gettext_noop("Its standings in Redis are being settled; try again in a moment."),
    gettext_noop("%(number)s standings are set aside as dead letters: retry or drop them first."),
    gettext_noop("Redis was given another generation meanwhile; try again in a moment."),
    gettext_noop("%(endpoint)s is disabled: enable it first."),
    # imports
    gettext_noop("The file is empty: its first line must name the columns."),
    gettext_noop("The file is no CSV table: %(why)s."),
    gettext_noop("The first line names the columns: at most %(most)s, each in at most %(long)s characters."),
    gettext_noop("It met an error that nobody foresaw, and was stopped. The log tells more: %(reference)s."),
    gettext_noop("It could not be judged: throw it away, mend the file and upload it again."),
    gettext_noop("The file names a column twice in its first line: %(columns)s."),
    gettext_noop("The file has no column %(name)s; it has %(columns)s."),
    gettext_noop("The file has the column %(name)s; players have %(columns)s."),
    gettext_noop("The file has a character that cannot be shown in its first line: save it as UTF-8."),
    gettext_noop("The file has a header and no rows."),
    gettext_noop("The file has more than %(most)s rows: split it, or use the command import_scores."),
    gettext_noop("The file: row %(row)s is no CSV (%(error)s); stopped there."),
    gettext_noop('The file must hold one object {"boards": [{"name": …}, …]} and nothing else.'),
    gettext_noop("The file: a board names a setting twice."),
    gettext_noop("The file names no board."),
    gettext_noop("%(most)s imports of yours wait already: confirm them or throw them away."),
    gettext_noop("The file names more than %(most)s boards: split it, or use the command apply_boards."),
    gettext_noop("The row has more or fewer cells than the header: look for a comma without quotes around it."),
    gettext_noop("Column %(column)s: %(why)s A date such as 2026-11-20 is taken too."),
    gettext_noop("%(day)s is no day that the calendar of %(zone)s has."),
    gettext_noop("It is not waiting for a yes: it is being judged, or somebody has confirmed it."),
    gettext_noop("Nothing of it can be taken: mend the file and upload it again."),
    gettext_noop("It changed nothing: there is nothing to undo."),
    gettext_noop("Another import was confirmed in this very moment; try again."),
    gettext_noop("It was confirmed: it can only be undone."),
    gettext_noop("It is not done yet, or it was undone before."),
    gettext_noop("There is no such import any more."),
    gettext_noop("It was judged again since you looked: look once more, then say yes."),
    gettext_noop("Give a reason of 1 to %(most)s characters."),
    gettext_noop(
        "This standing is of a competition: disqualify the participant there. That hides it in the "
        "competition alone, rewards follow, and it can be taken back."
    ),
    gettext_noop("The board keeps no single submissions (redis): an import into it cannot be undone."),
    gettext_noop("The same file was imported into this board before (import %(number)s): undo that first."),
    gettext_noop(
        "Import %(number)s into this board is being undone: wait until it is. Then this file is judged again, and "
        "you can confirm it."
    ),
    gettext_noop("Import %(number)s is being imported into this board: wait until it is done, then undo this one."),
    gettext_noop(
        "Its import was undone, and another import brought a score with the same id since: edit or restore that "
        "one, and leave this one void."
    ),
    gettext_noop("It was interrupted for longer than the board remembers ids: the rest was not imported."),
    gettext_noop("%(board)s: `%(setting)s` was changed since the import. Nothing was set back."),
    gettext_noop("%(board)s has scores by now: retire it instead. Nothing was set back."),
    gettext_noop("%(board)s is in use by now: retire it instead. Nothing was set back."),
    gettext_noop("%(board)s: the file names this board %(times)s times; leave one of them."),
    gettext_noop("`%(field)s`: %(why)s"),
)


def translated(detail: str, sentences: Sequence[str] = SENTENCES) -> str:
    """Translate an error's ``detail`` into the active language, including a detail within it (``%(why)s``).

    Returns it unchanged if no sentence matches.
    """
    for sentence in sentences:
        if match := pattern(sentence).fullmatch(detail):
            values = match.groupdict()
            if "why" in values:
                values["why"] = translated(values["why"], sentences)
            return _(sentence) % values if values else _(sentence)
    return detail


def pattern(sentence: str) -> re.Pattern[str]:
    """Compile a sentence to a pattern with a named group for each placeholder."""
    pieces = _PLACEHOLDER.split(sentence)  # alternating text and placeholder names
    parts = (f"(?P<{piece}>.+?)" if index % 2 else re.escape(piece) for index, piece in enumerate(pieces))
    return re.compile("".join(parts), re.DOTALL)

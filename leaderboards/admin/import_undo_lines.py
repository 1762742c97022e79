"""What undoing an import comes to, in words, before somebody says yes."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboards.admin.purges import foreseen_in_words
from leaderboards.models import Board, ImportKind, ImportRun
from leaderboards.services.imports import foresee_undo


def undo_lines(run: ImportRun) -> list[str]:
    """A line for each thing that changes or stays."""
    if run.kind == ImportKind.SCORES:
        return foreseen_in_words(foresee_undo.of_scores(run))
    return _of_players(run) if run.kind == ImportKind.PLAYERS else _of_boards(run)


def _of_players(run: ImportRun) -> list[str]:
    found = foresee_undo.of_players(run)
    if found is None:
        return [_("There are too many players to say here who of them stays.")]
    set_back = ngettext("%(number)s profile is set back.", "%(number)s profiles are set back.", found.set_back)
    removed = ngettext("%(number)s player is removed.", "%(number)s players are removed.", found.removed)
    stay = ngettext(
        "%(number)s player stays: somebody changed them since, or something refers to them.",
        "%(number)s players stay: somebody changed them since, or something refers to them.",
        found.stay,
    )
    said = ((set_back, found.set_back), (removed, found.removed), (stay, found.stay))
    return [words % {"number": f"{number:,}"} for words, number in said]


def _of_boards(run: ImportRun) -> list[str]:
    remembered, lines = run.columns.get("before", []), []
    names = dict(Board.objects.filter(pk__in=[each["seq"] for each in remembered]).values_list("pk", "name"))
    for each in remembered:
        name = names.get(each["seq"], each["seq"])
        if each["is_new"]:
            lines.append(_("%(board)s is removed, if nobody has played on it.") % {"board": name})
        elif each["before"]:
            settings = ", ".join(f"{field}: {value}" for field, value in each["before"].items())
            lines.append(_("%(board)s is set back: %(settings)s.") % {"board": name, "settings": settings})
    return lines

"""Django's makemessages, set up for this repository: it knows ``_lazy``, leaves tests out and guesses nothing.

The files it writes name where a sentence stands without lines and dates, so that a change of them shows
changed sentences and nothing else.
"""

from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

_PASSING = ('"POT-Creation-Date:', '"Report-Msgid-Bugs-To:')


class Command(makemessages.Command):
    """``makemessages -l ko``: put every marked sentence into the catalogue. Needs gettext."""

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=_lazy"]  # noqa: RUF012 (Django declares them so)
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]  # noqa: RUF012 (Django declares them so)

    def handle(self, *args: Any, **options: Any) -> None:
        """As Django does, with our choices where it offers some."""
        options["ignore_patterns"] = [*options["ignore_patterns"], "tests", "benchmarks", "build"]
        super().handle(*args, **options | {"add_location": "file", "no_wrap": True, "no_obsolete": True})

    def write_po_file(self, potfile: str, locale: str) -> None:
        """Write the catalogue of a language without what differs from run to run."""
        super().write_po_file(potfile, locale)
        catalogue = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        lines = catalogue.read_text(encoding="utf-8").splitlines(keepends=True)
        catalogue.write_text("".join(line for line in lines if not line.startswith(_PASSING)), encoding="utf-8")

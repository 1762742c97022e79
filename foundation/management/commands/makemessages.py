"""Django's makemessages with this repository's options: ``_lazy`` and ``Message``, no tests, no fuzzy matching.

The catalogues contain no line numbers and dates, so that a diff shows only changed sentences.
"""

from pathlib import Path
from typing import Any

from django.core.management.commands import makemessages

_VOLATILE = ('"POT-Creation-Date:', '"Report-Msgid-Bugs-To:')


class Command(makemessages.Command):
    """``makemessages -l ko``: update the catalogue with every marked sentence. Needs gettext."""

    xgettext_options = [  # noqa: RUF012 - Django declares them so
        *makemessages.Command.xgettext_options,
        "--keyword=_lazy",
        "--keyword=Message",
    ]
    msgmerge_options = [*makemessages.Command.msgmerge_options, "--no-fuzzy-matching"]  # noqa: RUF012 - Django declares them so

    def handle(self, *args: Any, **options: Any) -> None:
        """Run Django's command with our options."""
        options["ignore_patterns"] = [*options["ignore_patterns"], "tests", "benchmarks", "build"]
        super().handle(*args, **options | {"add_location": "file", "no_wrap": True, "no_obsolete": True})

    def write_po_file(self, potfile: str, locale: str) -> None:
        """Write a catalogue without the headers that change in every run."""
        super().write_po_file(potfile, locale)
        catalogue = Path(potfile).parent / locale / "LC_MESSAGES" / f"{self.domain}.po"
        lines = catalogue.read_text(encoding="utf-8").splitlines(keepends=True)
        catalogue.write_text("".join(line for line in lines if not line.startswith(_VOLATILE)), encoding="utf-8")

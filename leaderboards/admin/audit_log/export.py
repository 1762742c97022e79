"""Export the audit log as CSV, read from SQL in chunks, so that memory does not grow with its length."""

import csv
import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from foundation.audit.models import AuditEntry
from foundation.chunks import in_chunks
from leaderboards.admin.audit_log.period_names import load_period_names, period_id_in
from leaderboards.admin.audit_log.subject_names import Pair, load_subject_names
from leaderboards.core.input.csv_cells import safe_cell

COLUMNS = (
    *("entry", "at", "act", "account", "service_key", "command", "address", "about", "reason", "before", "after"),
    *("details", "undoes", "undone_by", "about_names"),
)
CHUNK = 500


class _Line:
    """A file for the csv writer that returns each line."""

    def write(self, line: str) -> str:
        return line


def lines(entries: QuerySet[AuditEntry], *, addresses: bool) -> Iterator[str]:
    """Yield a header, and a line for each entry in their order; without ``addresses`` that column is empty."""
    writer = csv.writer(_Line(), lineterminator="\r\n")
    yield str(writer.writerow(COLUMNS))
    rows = entries.select_related("undone_by").prefetch_related("subjects")
    for chunk in in_chunks(rows.iterator(chunk_size=CHUNK), CHUNK):
        names = load_subject_names(each for entry in chunk for each in entry.subjects.all())
        periods = load_period_names(chunk)
        for entry in chunk:
            cells = [*_cells(entry, addresses), _about_names(entry, names, periods)]
            yield str(writer.writerow([safe_cell(each) for each in cells]))


def _cells(entry: AuditEntry, addresses: bool) -> list[object]:
    about = " ".join(f"{each.kind}:{each.key}" for each in entry.subjects.all())
    note = {name: value for name, value in entry.note.items() if name != "command"}
    undone_by = entry.undone_by.pk if hasattr(entry, "undone_by") else ""
    return [
        *(entry.pk, entry.at.isoformat(), entry.act, entry.by_name, entry.key_name, entry.note.get("command", "")),
        *(entry.address if addresses else "", about, entry.reason, _json(entry.before), _json(entry.after)),
        *(_json(note), entry.undoes_id or "", undone_by),
    ]


def _about_names(entry: AuditEntry, names: Mapping[Pair, str], periods: Mapping[int, str]) -> str:
    """List the subjects with their names (deleted ones only with kind and number), and the noted period."""
    pairs = [(each.kind, each.key) for each in entry.subjects.all()]
    about = [f"{kind}:{key} {names.get((kind, key), '')}".rstrip() for kind, key in pairs]
    number = period_id_in(entry.note)
    period = [] if number is None else [f"period:{number} {periods.get(number, '')}".rstrip()]
    return "; ".join([*about, *period])


def _json(values: dict[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else ""

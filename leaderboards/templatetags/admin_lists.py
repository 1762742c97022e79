"""Lists of the admin on phones: each cell carries the heading of its column, since a card has no columns."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst

register = template.Library()


@register.filter
def labelled(cells: Iterable[SafeString], headers: Iterable[Mapping[str, Any]]) -> list[SafeString]:
    """Return the cells of a row, each with its column's heading as ``data-label``.

    The column of ticks has none. A cell without a value says so by ``data-none``: a card leaves it out.
    """
    return [_labelled(cell, header) for cell, header in zip(cells, headers, strict=True)]


def _labelled(cell: SafeString, header: Mapping[str, Any]) -> SafeString:
    text = str(header["text"])
    if "<" in text:
        return cell
    tag, rest = cell[:3], cell[3:]  # "<td" or "<th"
    none = " data-none" if rest.endswith(">-</td>") else ""
    return mark_safe(f'{tag} data-label="{escape(capfirst(text))}"{none}{rest}')  # noqa: S308 - both parts are escaped

"""The templates: a number in an attribute is written without the separators that a project may set for people.

tests/security/test_separated_numbers.py sees the same at each address; this one says so before a commit.
"""

import re
from pathlib import Path

from django.conf import settings

ATTRIBUTE = re.compile(r"""\s([a-z-]+)="((?:[^"{]|\{\{.*?\}\}|\{%.*?%\})*)\"""")
NUMBER = re.compile(
    r"\{\{ (?:[\w.]+\.(?:pk|seq|number|rank|counter0?|count|width|height|(?:board|player)_id)|every|longest) \}\}"
)


def test_each_number_in_an_attribute_is_unlocalized() -> None:
    templates = [*(Path(settings.BASE_DIR) / "templates").rglob("*.html")]
    bare = {
        f"{path.name}: {number}"
        for path in templates
        for _, value in ATTRIBUTE.findall(path.read_text())
        for number in NUMBER.findall(value)
    }

    assert len(templates) > 100
    assert bare == set(), "write {{ …|unlocalize }}, with {% load l10n %}"

"""Messages to callers: an English text that keeps its template and values, so that it can be translated later.

A message is a ``str``, the English one, which the API answers, and logs and commands print. Pages and the admin
translate it from its template (``foundation/translate.py``). ``makemessages`` finds each ``Message("…")``, so the text
must be written there. Standard library only, since every ``core`` writes messages.
"""

from typing import Any


class Message(str):
    """``template`` filled with ``values``, as by ``%``. A value may be a message itself, such as a reason.

    ``Message("Period %(period)s is closed.", period="2026-11-20")``
    """

    __slots__ = ("template", "values")
    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: Any) -> "Message":
        """Fill the template; without values it is the text itself, and a "%" in it stays."""
        made = super().__new__(cls, template % values if values else template)
        made.template, made.values = template, values
        return made

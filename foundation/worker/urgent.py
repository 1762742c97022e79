"""How tasks are sent that others wait for: before all others, and for ten seconds to a worker that is busy.

Apart from all else, since the settings read it.
"""

from typing import Any

URGENT: dict[str, Any] = {"expires": 10, "priority": 0}  # 0 is the first, as Redis as a broker has it

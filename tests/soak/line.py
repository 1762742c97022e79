"""HTTP as a careful client speaks it to the proxy, and notes what came of each request."""

import http.client
import json
import time
from collections.abc import Collection, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from tests.security.front import HOST
from tests.soak.record import Asked, Record

PATIENCE = 20.0  # seconds without an answer; none takes so long
KEPT_FOR = 50  # requests on one connection


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Line:
    """Connections of one client, one after the other: each for one request, or ``kept`` for many."""

    port: int
    record: Record
    kept: bool
    headers: Mapping[str, str] = field(default_factory=dict)
    _link: http.client.HTTPConnection | None = None
    _asked: int = 0

    def ask(self, kind: str, method: str, path: str, body: Any = None, good: Collection[int] = (200,)) -> Answer | None:
        """The answer; None if none came. Anything but a status of ``good`` is noted as a failure."""
        began = time.monotonic()
        answer, problem = self._answer(method, path, body)
        if answer is not None and answer.status not in good:
            problem = f"{answer.status} {answer.body[:300]!r}"
        if answer is not None and not problem and kind.startswith("score"):
            problem = problem_of_entries(answer.json())
        self.record.add(Asked(kind, began, time.monotonic(), problem and f"{method} {path}: {problem}"))
        return answer

    def _answer(self, method: str, path: str, body: Any) -> tuple[Answer | None, str]:
        """As HTTP clients do: on a kept connection that is closed before an answer began, once more on a new one.

        Whatever is sent can be repeated: scores have ids, and likes and readers ask for a state.
        """
        reused = self._link is not None
        try:
            return self._once(method, path, body), ""
        except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError) as error:
            self.close()
            if not reused:
                return None, repr(error)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return None, repr(error)
        self.record.add_resent()
        try:
            return self._once(method, path, body), ""
        except (OSError, http.client.HTTPException) as error:
            self.close()
            return None, repr(error)

    def _once(self, method: str, path: str, body: Any) -> Answer:
        if self._link is None:
            self._link, self._asked = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE), 0
        sent, headers = body, dict(self.headers)
        if isinstance(body, dict):
            sent, headers = json.dumps(body), {**headers, "Content-Type": "application/json"}
        elif isinstance(body, str):
            headers |= {"Content-Type": "application/x-www-form-urlencoded"}
        self._link.request(method, path, sent, headers)
        response = self._link.getresponse()
        answer = Answer(response.status, response.read())
        self._asked += 1
        if not self.kept or self._asked >= KEPT_FOR or response.will_close:
            self.close()
        return answer

    def close(self) -> None:
        if self._link is not None:
            with closing(self._link):
                self._link = None


def problem_of_entries(answer: Mapping[str, Any]) -> str:
    """What keeps an entry from being decided, if anything does."""
    codes = {str(each.get("code")) for each in answer["results"] if each["status"] == "unknown"}
    codes |= {each["code"] for each in answer["results"] if each.get("code") == "unavailable"}
    return f"entries were {', '.join(sorted(codes))}" if codes else ""

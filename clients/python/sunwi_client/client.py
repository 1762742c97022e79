"""The synchronous client.

``async_client.py`` has the same methods as coroutines; a test compares the two. The logic is in flow.py and
endpoints.py. The trap: create the client after forking.
"""

import copy
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar, cast

import httpx2

from sunwi_client import answers, endpoints
from sunwi_client.endpoints import CURRENT, following
from sunwi_client.errors import NoAnswer
from sunwi_client.flow import Call, Gate, Outcome, Reply, RequestFlow, Value, call, request_flow
from sunwi_client.requests import TIMEOUT_SECONDS, Deadline, Site, no_answer, reply_of
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.submitting import submit_flow

T = TypeVar("T")
P = ParamSpec("P")
Paged = TypeVar("Paged", answers.Page, answers.Periods, answers.CompetitionPage)


class Client:
    """A client of a site, with a key (without one it reads public boards). It is thread-safe.

    ``secret`` is the signing secret of a key that demands signatures. ``timeout`` is the limit of one try in seconds.
    ``http`` is your own HTTP client, for proxies or certificates, which you close yourself; ``timeout`` holds too.
    Methods raise the errors of errors.py, and ``ValueError`` for values that no server accepts.
    """

    def __init__(
        self,
        site: str,
        key: str | None = None,
        *,
        secret: str | None = None,
        retry_policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - it never changes
        timeout: float = TIMEOUT_SECONDS,
        http: httpx2.Client | None = None,
    ) -> None:
        self._site, self._retry_policy, self._gate = Site(site, key, secret), retry_policy, Gate()
        self._timeout, self._own = timeout, None if http else httpx2.Client()
        self._http: httpx2.Client = http or cast(httpx2.Client, self._own)

    def submit(
        self,
        scores: Sequence[Score],
        *,
        ranks: bool = False,
        dry_run: bool = False,
        retry_policy: RetryPolicy | None = None,
    ) -> list[answers.Result]:
        """Send 1 to 1,000 scores; return one result for each, in order.

        ``ranks`` adds ranks to the results; ``dry_run`` validates without counting. Scores without an answer are sent
        again with the same ids, and count once. When ``retry_policy`` ends, a score may still be ``unknown``, or
        rejected as ``unavailable``; it can be sent again unchanged.
        """
        retries = retry_policy or self._retry_policy
        return self._run(submit_flow(scores, retries, self._gate, ranks=ranks, dry_run=dry_run))

    def boards(self, *, name: str | None = None, limit: int = 100, offset: int = 0) -> answers.Boards:
        """The boards that the key may read, by number."""
        return cast(answers.Boards, self._request(endpoints.list_boards(name, limit, offset)))

    def board(self, board: int) -> answers.Board:
        """A board and its settings."""
        return cast(answers.Board, self._request(endpoints.read_board(board)))

    def periods(self, board: int, *, limit: int = 10, offset: int = 0, cursor: str | None = None) -> answers.Periods:
        """A page of a board's periods, the newest first; ``cursor`` is as for ``top``."""
        query: dict[str, Value] = {"limit": limit, "offset": offset, "cursor": cursor}
        return cast(answers.Periods, self._request(endpoints.list_periods(board, query)))

    def top(
        self,
        board: int,
        *,
        limit: int = 10,
        offset: int = 0,
        period: str = CURRENT,
        cursor: str | None = None,
        metadata: bool = False,
        max_age: int | None = None,
    ) -> answers.Page:
        """A page of a board's standings, best first; with the ``cursor`` of another page the one behind or before.

        With ``max_age=1`` it may be a second old, and costs the site less than half: for what many look at.
        """
        query: dict[str, Value] = {"limit": limit, "offset": offset, "period": period, "cursor": cursor}
        return cast(answers.Page, self._request(endpoints.top(board, query, metadata, max_age)))

    def player(self, board: int, player: str, *, period: str = CURRENT, metadata: bool = False) -> answers.PlayerRow:
        """A player's row. Raises ``NotRanked`` if they have no score."""
        return cast(answers.PlayerRow, self._request(endpoints.player(board, player, period, metadata)))

    def players(
        self, board: int, ids: Sequence[str], *, period: str = CURRENT, metadata: bool = False
    ) -> answers.Standings:
        """The rows of up to 100 players, best first, without players who are not ranked."""
        return cast(answers.Standings, self._request(endpoints.players(board, ids, period, metadata)))

    def around(
        self, board: int, player: str, *, radius: int = 4, period: str = CURRENT, metadata: bool = False
    ) -> answers.Page:
        """A player and up to ``radius`` (1 to 50) neighbours on each side; the cursors are for ``top``.

        Raises ``NotRanked``.
        """
        return cast(answers.Page, self._request(endpoints.around(board, player, radius, period, metadata)))

    def percentile(
        self, board: int, player: str, *, period: str = CURRENT, exact: bool = False
    ) -> answers.PlayerPercentile:
        """Which best part of the players they belong to; on boards of many players a minute old, unless ``exact``.

        Raises ``NotRanked``.
        """
        return cast(answers.PlayerPercentile, self._request(endpoints.percentile(board, player, period, exact)))

    def view(
        self,
        board: int,
        *,
        player: str | None = None,
        ids: Sequence[str] = (),
        limit: int = 10,
        offset: int = 0,
        radius: int | None = None,
        cursor: str | None = None,
        period: str = CURRENT,
        metadata: bool = False,
    ) -> answers.View:
        """A page, ``player`` with neighbours, and the players ``ids``, in one request and from one snapshot."""
        query: dict[str, Value] = {
            "player": player,
            "limit": limit,
            "offset": offset,
            "radius": radius,
            "period": period,
            "cursor": cursor,
            "metadata": metadata or None,
        }
        return cast(answers.View, self._request(endpoints.view(board, query, ids)))

    def competitions(
        self, *, state: str | None = None, board: int | None = None, limit: int = 100, offset: int = 0
    ) -> answers.Competitions:
        """Competitions, the latest start first."""
        return cast(answers.Competitions, self._request(endpoints.list_competitions(state, board, limit, offset)))

    def competition(self, number: int) -> answers.Competition:
        """A competition and its settings."""
        return cast(answers.Competition, self._request(endpoints.read_competition(number)))

    def competition_top(
        self,
        number: int,
        *,
        limit: int = 10,
        offset: int = 0,
        division: int | None = None,
        cursor: str | None = None,
        metadata: bool = False,
    ) -> answers.CompetitionPage:
        """A page of a competition's standings, best first; ``cursor`` is as for ``top``."""
        query: dict[str, Value] = {"limit": limit, "offset": offset, "division": division, "cursor": cursor}
        return cast(answers.CompetitionPage, self._request(endpoints.competition_top(number, query, metadata)))

    def competition_player(self, number: int, player: str, *, metadata: bool = False) -> answers.ParticipantRow:
        """A participant's row. Raises ``NotJoined``."""
        return cast(answers.ParticipantRow, self._request(endpoints.competition_player(number, player, metadata)))

    def competition_around(
        self, number: int, player: str, *, radius: int = 4, metadata: bool = False
    ) -> answers.CompetitionPage:
        """A participant and their neighbours. Raises ``NotRanked`` and ``NotJoined``."""
        return cast(
            answers.CompetitionPage, self._request(endpoints.competition_around(number, player, radius, metadata))
        )

    def competition_view(
        self,
        number: int,
        *,
        player: str | None = None,
        ids: Sequence[str] = (),
        limit: int = 10,
        offset: int = 0,
        radius: int | None = None,
        cursor: str | None = None,
        metadata: bool = False,
    ) -> answers.CompetitionView:
        """As ``view``, for a competition."""
        query: dict[str, Value] = {
            "player": player,
            "limit": limit,
            "offset": offset,
            "radius": radius,
            "cursor": cursor,
            "metadata": metadata or None,
        }
        return cast(answers.CompetitionView, self._request(endpoints.competition_view(number, query, ids)))

    def ask(
        self,
        method: str,
        *segments: str | int,
        query: dict[str, Value] | None = None,
        body: object = None,
        is_idempotent: bool | None = None,
    ) -> Any:
        """Call any other API endpoint: ``ask("PUT", "competitions", 7, "players", "alice")``. None for an empty answer.

        A GET is retried as other reads, and so are writes that are safe to repeat: profiles, joining, leaving, likes of
        comments. Other writes are only if the server answered that nothing was done; ``is_idempotent`` says otherwise.
        """
        return self._request(call(method, *segments, query=query, body=body, is_idempotent=is_idempotent))

    def with_options(self, *, timeout: float | None = None, retry_policy: RetryPolicy | None = None) -> Self:
        """This client with another ``timeout`` or ``retry_policy``, for one call or several.

        It shares the connections, which close with this client, and the wait after a 429.
        """
        other = copy.copy(self)
        other._own = None
        other._timeout = self._timeout if timeout is None else timeout
        other._retry_policy = retry_policy or self._retry_policy
        return other

    def pages(self, read: Callable[P, Paged], *args: P.args, **named: P.kwargs) -> Iterator[Paged]:
        """Each page of ``top``, ``periods`` or ``competition_top``, from first to last: ``pages(sunwi.top, 1)``.

        The other arguments are those of ``read``. The pages are of one period, also if another begins meanwhile.
        """
        page = read(*args, **named)
        yield page
        while (cursor := page["next_cursor"]) is not None:
            page = cast(Any, read)(*args, **following(named, cursor))
            yield page

    def close(self) -> None:
        """Close the connections, but not an ``http`` client of your own."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _request(self, call: Call) -> Any:
        return self._run(request_flow(call, self._retry_policy, self._gate))

    def _run(self, flow: RequestFlow[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = flow.send(outcome)
            except StopIteration as end:
                return cast(T, end.value)
            if isinstance(step, Call):
                outcome = self._send(step)
            else:
                time.sleep(step.seconds)
                outcome = None

    def _send(self, call: Call) -> Reply | NoAnswer:
        try:
            deadline = Deadline(self._timeout)
            request = self._http.build_request(**self._site.parts(call), extensions={"timeout": deadline})
            with closing(self._http.send(request, follow_redirects=False, stream=True)) as response:
                chunks = []
                for chunk in response.iter_bytes():
                    deadline.check()
                    chunks.append(chunk)
                return reply_of(response, b"".join(chunks))
        except httpx2.RequestError as error:
            return no_answer(call, error)

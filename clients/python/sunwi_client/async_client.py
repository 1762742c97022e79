"""The client for asyncio.

The same methods as in ``client.py``; a test compares the two.
"""

import asyncio
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, cast

import httpx2

from sunwi_client import answers, endpoints
from sunwi_client.endpoints import CURRENT
from sunwi_client.errors import NoAnswer
from sunwi_client.flow import Call, Gate, Outcome, Reply, RequestFlow, Value, call, request_flow
from sunwi_client.requests import TIMEOUT_SECONDS, Site, no_answer, reply_of
from sunwi_client.retry_policy import RetryPolicy
from sunwi_client.scores import Score
from sunwi_client.submitting import submit_flow

T = TypeVar("T")


class AsyncClient:
    """A site, asked with a key (``key=None`` reads what is public). Tasks of one event loop may share one.

    ``secret`` is the signing secret of a key that demands signatures. ``retry_policy`` is how long it goes on trying,
    ``timeout`` how many seconds one try may take. ``http`` is an HTTP client of your own, for proxies or certificates,
    which you close yourself. Methods raise what stands in errors.py, and ``ValueError`` for what no server would take.
    """

    def __init__(
        self,
        site: str,
        key: str | None = None,
        *,
        secret: str | None = None,
        retry_policy: RetryPolicy = RetryPolicy(),  # noqa: B008 - it never changes
        timeout: float = TIMEOUT_SECONDS,
        http: httpx2.AsyncClient | None = None,
    ) -> None:
        self._site, self._patience, self._gate = Site(site, key, secret), retry_policy, Gate()
        self._own = None if http else httpx2.AsyncClient(timeout=timeout)
        self._http: httpx2.AsyncClient = http or cast(httpx2.AsyncClient, self._own)

    async def submit(
        self,
        scores: Sequence[Score],
        *,
        ranks: bool = False,
        dry_run: bool = False,
        retry_policy: RetryPolicy | None = None,
    ) -> list[answers.Result]:
        """Send 1 to 1,000 scores: one result for each, in their order; ``ranks`` tells places, ``dry_run`` only judges.

        What had no answer is sent again with the same ids, and counts once. What is still ``unknown``, or rejected as
        ``unavailable``, when patience ends is so in its result, and may be sent again as it is.
        """
        return await self._run(
            submit_flow(scores, retry_policy or self._patience, self._gate, ranks=ranks, dry_run=dry_run)
        )

    async def boards(self, *, name: str | None = None, limit: int = 100, offset: int = 0) -> answers.Boards:
        """The boards that the key may read, by number."""
        return cast(answers.Boards, await self._asked(endpoints.list_boards(name, limit, offset)))

    async def board(self, board: int) -> answers.Board:
        """A board and its settings."""
        return cast(answers.Board, await self._asked(endpoints.read_board(board)))

    async def top(self, board: int, *, limit: int = 10, offset: int = 0, period: str = CURRENT) -> answers.Standings:
        """A page of a board's rows, best first."""
        return cast(answers.Standings, await self._asked(endpoints.top(board, limit, offset, period)))

    async def player(self, board: int, player: str, *, period: str = CURRENT) -> answers.PlayerRow:
        """A player's row. Raises ``NotRanked`` for who has not scored."""
        return cast(answers.PlayerRow, await self._asked(endpoints.player(board, player, period)))

    async def players(self, board: int, ids: Sequence[str], *, period: str = CURRENT) -> answers.Standings:
        """The rows of up to 100 players, best first; who is not ranked is left out."""
        return cast(answers.Standings, await self._asked(endpoints.players(board, ids, period)))

    async def around(self, board: int, player: str, *, radius: int = 4, period: str = CURRENT) -> answers.Standings:
        """A player and up to ``radius`` (1 to 50) on each side. Raises ``NotRanked``."""
        return cast(answers.Standings, await self._asked(endpoints.around(board, player, radius, period)))

    async def view(
        self,
        board: int,
        *,
        player: str | None = None,
        ids: Sequence[str] = (),
        limit: int = 10,
        offset: int = 0,
        radius: int | None = None,
        period: str = CURRENT,
    ) -> answers.View:
        """A page, ``player`` and their neighbours, and those of ``ids``: one request, all of one moment."""
        named: dict[str, Value] = {
            "player": player,
            "limit": limit,
            "offset": offset,
            "radius": radius,
            "period": period,
        }
        return cast(answers.View, await self._asked(endpoints.view(board, named, ids)))

    async def competitions(
        self, *, state: str | None = None, board: int | None = None, limit: int = 100, offset: int = 0
    ) -> answers.Competitions:
        """Competitions, the latest start first."""
        return cast(answers.Competitions, await self._asked(endpoints.list_competitions(state, board, limit, offset)))

    async def competition(self, number: int) -> answers.Competition:
        """A competition and its settings."""
        return cast(answers.Competition, await self._asked(endpoints.read_competition(number)))

    async def competition_top(
        self, number: int, *, limit: int = 10, offset: int = 0, division: int | None = None
    ) -> answers.CompetitionStandings:
        """A page of a competition's rows, best first."""
        return cast(
            answers.CompetitionStandings, await self._asked(endpoints.competition_top(number, limit, offset, division))
        )

    async def competition_player(self, number: int, player: str) -> answers.ParticipantRow:
        """A participant's row. Raises ``NotJoined``."""
        return cast(answers.ParticipantRow, await self._asked(endpoints.competition_player(number, player)))

    async def competition_around(self, number: int, player: str, *, radius: int = 4) -> answers.CompetitionStandings:
        """A participant and those next to them. Raises ``NotRanked`` and ``NotJoined``."""
        return cast(
            answers.CompetitionStandings, await self._asked(endpoints.competition_around(number, player, radius))
        )

    async def competition_view(
        self,
        number: int,
        *,
        player: str | None = None,
        ids: Sequence[str] = (),
        limit: int = 10,
        offset: int = 0,
        radius: int | None = None,
    ) -> answers.CompetitionView:
        """Several things of a competition, all of one moment, as ``view``."""
        named: dict[str, Value] = {"player": player, "limit": limit, "offset": offset, "radius": radius}
        return cast(answers.CompetitionView, await self._asked(endpoints.competition_view(number, named, ids)))

    async def ask(
        self, method: str, *segments: str | int, query: dict[str, Value] | None = None, body: object = None
    ) -> Any:
        """Whatever else the API has: ``ask("PUT", "competitions", 7, "players", "alice")``. None for an empty answer.

        A GET is repeated as all reads are; what writes is repeated only where the server said that nothing was done.
        """
        return await self._asked(call(method, *segments, query=query, body=body))

    async def close(self) -> None:
        """Let go of the connections; of an ``http`` of yours nothing."""
        if self._own is not None:
            await self._own.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _asked(self, sent: Call) -> Any:
        return await self._run(request_flow(sent, self._patience, self._gate))

    async def _run(self, course: RequestFlow[T]) -> T:
        told: Outcome = None
        while True:
            try:
                step = course.send(told)
            except StopIteration as done:
                return cast(T, done.value)
            if isinstance(step, Call):
                told = await self._sent(step)
            else:
                await asyncio.sleep(step.seconds)
                told = None

    async def _sent(self, sent: Call) -> Reply | NoAnswer:
        try:
            request = self._http.build_request(**self._site.parts(sent))
            return reply_of(await self._http.send(request, follow_redirects=False))
        except httpx2.RequestError as error:
            return no_answer(sent, error)

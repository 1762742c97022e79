"""A world to break: a Valkey and a PostgreSQL of its own, boards, and processes that write, read and work on them."""

import shutil
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any, LiteralString, Self

from foundation.redis.info import identity_of
from tests.faults import boards, load
from tests.faults.history import History
from tests.faults.processes import Child, Forker
from tests.faults.servers import new_redis, new_sql, temporary_folder

BOARDS = [
    {"name": "hybrid", "storage": "hybrid"},
    {"name": "shared", "storage": "hybrid", "ties": "dense"},
    {"name": "redis", "storage": "redis"},
    {"name": "sql", "storage": "sql"},
]
BESIDE = ("CACHE_URL", "BROKER_URL")
ALWAYS_EXACT = ("hybrid", "shared", "sql")


def wait_until(holds: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
    give_up = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < give_up, f"after {seconds} s still not: {what}"
        time.sleep(0.05)  # whoever is waited for needs the processors


class World:
    """Two servers and the processes that use them. Make it by the fixture `make_world`."""

    def __init__(self, fsync: str = "always") -> None:
        self.folder = temporary_folder()
        self.redis = new_redis(self.folder, fsync)
        self.sql = new_sql()
        self.address = ""  # where processes look for Redis, if not at the server itself
        self.histories = self.folder
        self.boards: list[int] = []
        self.lossy: set[int] = set()  # boards that may have lost acknowledged writes: the test says how much
        self._forkers: dict[str, Forker] = {}
        self._numbers = count()

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_: object) -> None:
        for forker in self._forkers.values():
            forker.end()
        self.redis.end()
        self.sql.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def begin(self) -> None:
        """Another test begins, with boards and histories of its own, and both servers up."""
        self._forker(self.address or self.redis.made.url)  # its imports take as long as the servers
        self.redis.start()
        self.sql.start()
        self.histories = self.folder / f"histories-{next(self._numbers)}"
        self.histories.mkdir()
        self.boards, self.lossy = [], set()

    def new_history(self) -> str:
        """A file for a child to note its calls in."""
        return str(self.histories / f"{next(self._numbers):04d}.jsonl")

    def history(self) -> History:
        return History.of(self.histories)

    def spawn(self, target: Callable[..., Any], *, fail_at: str = "", redis_url: str = "", **arguments: Any) -> Child:
        """Run a function of a module of ours in a child of its own. `redis_url`: not the server, but a proxy."""
        return self._forker(redis_url or self.address or self.redis.made.url).fork(target, fail_at, arguments)

    def _forker(self, url: str) -> Forker:
        if url not in self._forkers:
            self._forkers[url] = Forker(self.folder, self._environment(url))
        return self._forkers[url]

    def call(self, target: Callable[..., Any], *, seconds: float = 90, redis_url: str = "", **arguments: Any) -> Any:
        """The same, and wait for what it returns."""
        return self.spawn(target, redis_url=redis_url, **arguments).result(seconds)

    def make_boards(self, *names: str, **settings: Any) -> dict[str, int]:
        wanted = [{**each, **settings} for each in BOARDS if not names or each["name"] in names]
        found: dict[str, int] = self.call(boards.make, settings=wanted)
        self.boards += found.values()
        return found

    def write(self, numbers: Iterable[int], seed: int, **how: Any) -> Child:
        return self.spawn(load.write, history=self.new_history(), boards=[*numbers], seed=seed, **how)

    def near_the_end(self, number: int, seconds: float) -> tuple[float, float]:
        """How far to shift the time for a board's period to end in so many seconds, and when that is (monotonic)."""
        ends_at: float = self.call(boards.day_ends_at, seq=number)
        return ends_at - time.time() - seconds, time.monotonic() + seconds

    @contextmanager
    def writers(self, numbers: Iterable[int], seed: int, many: int = 2, **how: Any) -> Iterator[list[Child]]:
        """Some who score, each with chances of its own, until the block ends."""
        how = {"pause": 0.01, **how}
        children = [self.write(numbers, seed + nth, **how) for nth in range(many)]
        yield children
        for child in children:
            if child.ended() is None:  # the test may have killed it
                child.stop()

    @contextmanager
    def worker(self, **how: Any) -> Iterator[None]:
        """Somebody who does what the schedule does, until the block ends."""
        child = self.spawn(load.work, **how)
        yield
        child.stop()

    @contextmanager
    def reader(self, numbers: Iterable[int]) -> Iterator[None]:
        """Somebody who reads whole boards until the block ends."""
        child = self.spawn(load.read, history=self.new_history(), boards=[*numbers])
        yield
        child.stop()

    @contextmanager
    def under_load(self, exact: Collection[int], by_redis: int, seed: int, looks: float = 0.1) -> Iterator[None]:
        """A worker, readers and writers of boards that lose nothing, and one writer of a redis board that may.

        ``looks``: seconds between two looks of the worker for work.
        """
        with (
            self.worker(pause=looks),
            self.reader(exact),
            self.writers(exact, seed, pause=0.03),
            self.writers([by_redis], seed + 10, many=1, again=0.0, pause=0.03),
        ):
            yield

    def is_live(self) -> bool:
        """Whether SQL knows the server and nothing is stale, as the worker sees to."""
        with self.redis.client() as client:
            identity = identity_of({name: str(value) for name, value in client.info().items()})
        return not self.is_stale() and self.knows(identity)

    def knows(self, identity: str) -> bool:
        """Whether SQL knows the server."""
        return self._found("SELECT 1 FROM foundation_knownredis WHERE identity = %s", identity)

    def is_stale(self) -> bool:
        """Whether anything is, or nobody can say so."""
        return self._found("SELECT 1 FROM leaderboards_period WHERE stale_since IS NOT NULL")

    def _found(self, query: LiteralString, *values: str) -> bool:
        with self.sql.connect() as connection:
            return connection.execute(query, values).fetchone() is not None

    def wait_until_live(self) -> None:
        wait_until(self.is_live, "settled")

    def wait_until_taken(self, *numbers: int) -> None:
        since = time.monotonic()
        wait_until(lambda: self.history().taken_since(since, *numbers), "a new score on each board")

    def mirrored(self, number: int) -> dict[str, int]:
        with self.sql.connect() as connection:
            rows = connection.execute(
                "SELECT external_id, points FROM leaderboards_standing s JOIN leaderboards_player p ON p.id = player_id"
                " WHERE period_id IN (SELECT id FROM leaderboards_period WHERE board_id = %s) AND score IS NOT NULL",
                [number],
            ).fetchall()
        return {str(name): int(points) for name, points in rows}

    def _environment(self, redis_url: str) -> dict[str, str]:
        others = {}
        if redis_url.startswith("redis+cluster"):  # which has no database for page cache and broker
            others = {name: f"unix://{self.redis.made.socket}?db={nth}" for nth, name in enumerate(BESIDE, 1)}
        return {
            **others,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATA_DIR": str(self.folder),
            "DATABASE_URL": self.sql.made.url,
            "REDIS_URL": redis_url,
            "SECRET_KEY": "only-for-tests",
            "HTTPS": "off",
            "LOG_LEVEL": "WARNING",
        }

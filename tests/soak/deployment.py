"""All of Sunwi as it is deployed, on this machine: the proxy before two web instances, worker, beat, and three stores.

Each runs by the command that docs/operations and the image have, with the configuration that is shipped. What is
changed: ports, limits of requests (one address asks for everybody), and certificates, which there are none of.
"""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

import psycopg

from tests.faults.servers import new_redis
from tests.faults.world import World, wait_until
from tests.ports import free_port
from tests.security.front import HOST, application, configuration, proxy_command
from tests.soak.programs import ROOT, Program

INSTANCES = 2
CELERY = [sys.executable, "-m", "config.run_celery", "-A"]
WORKER = [*CELERY, "config", "worker", "--pool", "threads", "-c", "4", "--without-gossip", "--without-mingle",
          "--without-heartbeat", "-l", "INFO"]  # fmt: skip  # as in docker-compose.yml
BEAT = [*CELERY, "config.beat", "beat", "-l", "INFO"]
NO_LIMITS = dict.fromkeys(("SUBMIT_LIMIT", "READ_LIMIT", "PAGE_LIMIT", "LIKE_LIMIT", "JOIN_LIMIT"), "0")


class Deployment:
    """Everything, up from the beginning of a ``with`` block to its end."""

    def __init__(self, code: Path = ROOT) -> None:
        """``code``: the checkout that everything is started from."""
        self.world = World()
        self.folder = self.world.folder
        self.passing = new_redis(self.folder, "no", "passing")
        self.port, self._ports = free_port(), [free_port() for _ in range(INSTANCES)]
        self._down: set[int] = set()
        self.web = [self._web(nth, port) for nth, port in enumerate(self._ports)]
        self.worker = self._program("worker", WORKER, lambda: "ready." in self.worker.log_tail())
        self.beat = self._program("beat", BEAT, lambda: "maxinterval" in self.beat.log_tail())
        self._upstream = self.folder / "proxy" / "upstream.conf"
        self.proxy = self._proxy()
        for each in (*self.web, self.worker, self.beat):
            each.code = code

    def __enter__(self) -> Self:
        try:
            self.world.begin()
            self.passing.start()
            (self.folder / "metrics").mkdir()
            started = [*self.web, self.worker, self.beat]
            for each in started:
                each.begin()
            for each in started:
                each.wait_until_ready()
            self.proxy.start()
            wait_until(self.world.is_live, "the worker has seen Redis")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for each in (self.proxy, self.beat, *self.web, self.worker):
            each.kill()
        self.passing.end()
        self.world.__exit__()

    # -- rolling restart, as docs/operations has it --------------------------------------------------------------------

    def restart_web(self, code: Path | None = None) -> None:
        """One instance after the other, each after the proxy has taken it out; from this checkout now, if named."""
        for nth, instance in enumerate(self.web):
            self.take_out(nth)
            instance.end()
            instance.code = code or instance.code
            instance.start()
            self.put_in(nth)

    def restart_worker(self, code: Path | None = None) -> None:
        """TERM lets it finish its tasks; beat comes last."""
        for each in (self.worker, self.beat):
            each.end()
            each.code = code or each.code
            each.log.unlink()
            each.start()

    def take_out(self, nth: int) -> None:
        """Nothing new goes to the instance, and what went to it is answered."""
        self._down.add(nth)
        self._reload()

    def put_in(self, nth: int) -> None:
        self._down.remove(nth)
        self._reload()

    def _reload(self) -> None:
        """Have the proxy read its upstream anew, and wait for those of its processes that know the one of before."""
        self._write_upstream()
        before = self.proxy.children()
        self.proxy_alone(signal.SIGHUP)
        wait_until(lambda: not {*before} & {*self.proxy.children()}, "the proxy's processes of before have ended")

    def proxy_alone(self, number: int) -> None:
        """A signal to the proxy's first process."""
        os.kill(self.proxy.pid, number)

    # -- what is asked of it -------------------------------------------------------------------------------------------

    def terminate_backends(self) -> int:
        """End all connections to the database; returns how many there were."""
        with self.world.sql.connect() as connection:
            ended = connection.execute(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                " WHERE datname = 'sunwi' AND pid <> pg_backend_pid()"
            ).fetchone()
        return int(ended[0]) if ended else 0

    def sql_answers(self) -> bool:
        try:
            self.world.sql.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def manage(self, *command: str) -> tuple[int, str]:
        """What a command of manage.py ends with, and says."""
        done = subprocess.run(
            [sys.executable, "manage.py", *command], cwd=ROOT, env=self._environment(),
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip  # as a table
        return done.returncode, done.stdout + done.stderr

    # -- how it is made ------------------------------------------------------------------------------------------------

    def _environment(self) -> dict[str, str]:
        address = f"unix://{self.passing.made.socket}?db="
        return {
            **{name: value for name, value in os.environ.items() if not name.endswith(("_URL", "_SECONDS"))},
            **self.world._environment(self.world.redis.made.url),
            **NO_LIMITS,
            "PYTHONUNBUFFERED": "1",  # a log shows at once what was written
            "CACHE_URL": f"{address}0",
            "BROKER_URL": f"{address}1",
            "TRUSTED_PROXIES": "1",
            "BEHIND_TLS_PROXY": "on",
            "ALLOWED_HOSTS": HOST,
            "METRICS_FOLDER": str(self.folder / "metrics"),
        }

    def _program(self, name: str, command: Sequence[str], ready: Callable[[], bool]) -> Program:
        return Program(name, command, self._environment(), self.folder / f"{name}.log", ready)

    def _web(self, nth: int, port: int) -> Program:
        return self._program(f"web-{nth}", application(port), lambda: _answers(port))

    def _proxy(self) -> Program:
        """The shipped configuration, with two instances in its upstream, as its comment says."""
        changes = {
            "listen 8080;": f"listen {HOST}:{self.port};",
            "listen 8443 ssl;": f"listen {HOST}:{free_port()} ssl;",
        }
        whole = configuration(self.folder / "proxy", changes) / "https-off.conf"
        self._shipped = self._upstream.read_text()
        self._write_upstream()
        command = proxy_command(self.folder / "nginx", whole)
        return self._program("proxy", command, lambda: _answers(self.port))

    def _write_upstream(self) -> None:
        lines = "\n    ".join(
            f"server {HOST}:{port}{' down' if nth in self._down else ''};" for nth, port in enumerate(self._ports)
        )
        assert "server web:8000;" in self._shipped
        self._upstream.write_text(self._shipped.replace("server web:8000;", lines))


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://{HOST}:{port}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False

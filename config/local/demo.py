"""`make demo` or `sunwi demo`: run everything on this machine, in one folder, on loopback, until Ctrl-C.

Order: Redis, migrations, web server (while the demo data is created), worker, beat, simulated players. If REDIS_URL
or DATABASE_URL is set, it is used instead of the demo's own Valkey or SQLite. With CLUSTER=1 the boards are in a
cluster of the demo's own: three primaries and three replicas, beside the Valkey of page cache and broker.
"""

import os
import shutil
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import redis

from config.components import redis_urls
from config.local import cluster, valkey
from config.local import data_folder as folders
from config.local.data_folder import DataFolder
from config.local.errors import DemoError, Stopped
from config.local.supervisor import Service, Supervisor, say
from foundation import file_locations

BASE_DIR = Path(__file__).resolve().parent.parent.parent
HOST = "127.0.0.1"
ADMIN, PLAYER = "demo-admin", "demo-player"
# Each thread answers one request at a time and may hold one connection to SQL and one to Redis.
GRANIAN = (
    "--interface wsgi --workers 2 --blocking-threads 8 --backpressure 256 "
    "--workers-kill-timeout 5 --respawn-failed-workers config.wsgi:application"
)
BEAT = "config.beat beat -l INFO"
# A single worker needs no gossip. Four threads, so that slow tasks (verifying, closing, webhooks) leave room for those
# that run every second.
WORKER = "config worker --pool threads -c 4 -l INFO --without-gossip --without-mingle --without-heartbeat"


@dataclass(frozen=True)
class Options:
    """The options from the environment."""

    data_dir: Path
    port: int
    players: int
    redis_url: str | None
    database_url: str | None
    is_cluster: bool = False

    @classmethod
    def read(cls, environment: Mapping[str, str]) -> "Options":
        return cls(
            data_dir=Path(environment.get("DATA_DIR") or file_locations.demo_folder()).resolve(),
            port=_number(environment, "PORT", 8000, 1, 65535),
            players=_number(environment, "DEMO_PLAYERS", 40, 0, 4000),
            redis_url=environment.get("REDIS_URL") or None,
            database_url=environment.get("DATABASE_URL") or None,
            is_cluster=bool(_number(environment, "CLUSTER", 0, 0, 1)),
        )

    @property
    def site(self) -> str:
        return f"http://{HOST}:{self.port}"


def main() -> int:
    """Return exit status 0 when stopped, 1 if the demo could not start."""
    try:
        options = Options.read(os.environ)
        with folders.claim(options.data_dir) as folder:
            run(options, folder)
    except (DemoError, valkey.ServerFailed) as trouble:
        print(f"demo: {trouble}", file=sys.stderr)
        return 1
    return 0


def run(options: Options, folder: DataFolder) -> None:
    begun = time.monotonic()
    refuse_taken_port(options.port, patient=folder.was_left_running())
    announce(options, folder)
    if options.is_cluster and options.redis_url:
        raise DemoError("CLUSTER=1 starts a cluster of the demo's own, so unset REDIS_URL.")
    own_redis = None if options.redis_url else own_valkey(folder)
    nodes = cluster.kept(folder.redis / "cluster") if options.is_cluster else None
    settings = make_settings(options, folder, own_redis, nodes)
    folder.write_env(settings)
    shutil.rmtree(folder.root / "metrics", ignore_errors=True)  # metrics of processes that have ended
    with Supervisor(folder, os.environ | settings | quiet(), BASE_DIR) as supervisor:
        try:
            if nodes:
                start_nodes(supervisor, nodes)
            start(supervisor, options, folder, own_redis)
            say(welcome(options, folder, time.monotonic() - begun))
            supervisor.watch()
        except Stopped:
            pass
        say("Stopping ...")
    say("Stopped. Nothing is left running; the data stay in the folder.")


def start(supervisor: Supervisor, options: Options, folder: DataFolder, own_redis: valkey.Valkey | None) -> None:
    python = sys.executable
    if own_redis:
        own_redis.write_configuration()
        supervisor.start(Service("redis", own_redis.command, own_redis.answers))
    else:
        refuse_silent_redis(options.redis_url or "")
    folder.tables.unlink(missing_ok=True)
    web, *others = services(options)
    with supervisor.beside("seed", [python, "-m", "config.local.seeding.seed"]) as seeding:
        while seeding.poll() is None and not folder.tables.exists():
            supervisor.pause()
        if not seeding.poll():
            supervisor.start(web)
    for service in others:
        supervisor.start(service)


def start_nodes(supervisor: Supervisor, nodes: cluster.Cluster) -> None:
    for nth, node in enumerate(nodes.nodes):
        node.write_configuration()
        supervisor.start(Service(f"node-{nth}", node.command, node.answers))
    nodes.join()


def services(options: Options) -> list[Service]:
    """Return the services in the order of starting: the web server first, because people wait for it.

    They stop in reverse order, so the worker stops before the Redis that it uses.
    """
    python = sys.executable
    celery = [python, "-m", "config.run_celery", "--quiet", "-A"]
    granian = [python, "-m", "granian", "--host", HOST, "--port", str(options.port), *GRANIAN.split()]
    listed = [
        Service("web", granian, lambda: site_answers(options.site)),
        Service("worker", [*celery, *WORKER.split()]),
        Service("beat", [*celery, *BEAT.split()]),
    ]
    if options.players:
        listed.append(Service("players", [python, "-m", "config.local.players"], stop_seconds=3))
    return listed


def own_valkey(folder: DataFolder) -> valkey.Valkey:
    return valkey.Valkey(
        binary=valkey.find_binary(),
        folder=folder.redis,
        socket=valkey.short_socket(folder.redis),
        log=folder.log("redis"),
    )


def make_settings(
    options: Options, folder: DataFolder, own_redis: valkey.Valkey | None, nodes: cluster.Cluster | None = None
) -> dict[str, str]:
    """Return the settings of child processes and of DATA_DIR/env. Set environment variables take precedence."""
    boards = options.redis_url or (own_redis.url if own_redis else "")
    settings = {
        "DATA_DIR": str(folder.root),
        "SECRET_KEY": folder.secret_key(),
        "HTTPS": "off",
        "PORT": str(options.port),
        "DATABASE_URL": f"sqlite:///{quote(str(folder.database))}",
        "REDIS_URL": nodes.url if nodes else boards,
        "CACHE_URL": redis_urls.neighbour(boards, 1),
        # In Celery's spelling, because its command line reads this variable before the settings do.
        "BROKER_URL": redis_urls.for_broker(redis_urls.neighbour(boards, 2)),
        "DEMO_PLAYERS": str(options.players),
        "METRICS_FOLDER": str(folder.root / "metrics"),
        "SITE_URL": f"http://localhost:{options.port}",
        # E-mails are written to the worker's log.
        "EMAIL_URL": "consolemail://",
    }
    overrides = {name: os.environ[name] for name in settings if os.environ.get(name)}
    return settings | overrides | {"DATA_DIR": str(folder.root)}


def quiet() -> dict[str, str]:
    """Return settings that silence Celery's warning about root, which is noise in a local container."""
    return {"PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges", "PYTHONUNBUFFERED": "1"}


def refuse_taken_port(port: int, *, patient: bool) -> None:
    """Raise ``DemoError`` if the port is taken. With `patient`, wait for the web server of a killed demo to end."""
    deadline = time.monotonic() + (8 if patient else 0)
    while not _is_free(port):
        if time.monotonic() >= deadline:
            raise DemoError(
                f"Port {port} on {HOST} is taken by another program. Stop it, or take another port: "
                f"PORT={port + 1 if port < 65535 else 8000} {file_locations.DEMO}"
            )
        time.sleep(0.1)


def refuse_silent_redis(url: str) -> None:
    try:
        with redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=2) as client:
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise DemoError(
            f"The Redis of REDIS_URL does not answer: start it, or unset the variable ({error})."
        ) from error


def site_answers(site: str) -> bool:
    try:
        with urllib.request.urlopen(f"{site}/healthz", timeout=2) as answer:
            return bool(answer.status == 200)
    except (OSError, urllib.error.URLError):
        return False


def announce(options: Options, folder: DataFolder) -> None:
    kept = [] if options.database_url else ["an SQLite database"]
    kept += [] if options.redis_url else ["Valkey's files (Redis-compatible)"]
    say(f"Sunwi's demo keeps everything in {folder.root}: {', '.join([*kept, 'logs and logins'])}.")
    say("It is for one person: it listens on this machine alone, with no proxy before it. Starting ...")


def welcome(options: Options, folder: DataFolder, seconds: float) -> str:
    logins = folder.passwords(ADMIN, PLAYER)
    site = options.site
    return f"""
Ready after {seconds:.1f} s.

  Boards   {site}/
  Admin    {site}/admin/            {ADMIN} / {logins[ADMIN]}
  Player   {site}/accounts/login/   {PLAYER} / {logins[PLAYER]}
  API      {site}/api/docs

Try first
  1. Open a board: {options.players or "no"} simulated players keep scoring, and the page follows by itself. Beside the
     table you see how they got there since the week began, and months of results lie before it.
  2. Sign in as the player: your own row, and who is just above you, stay in sight.
  3. See {site}/competitions/: you are in the one that runs, your inbox tells you
     of places won and lost, and the next one is open for you to join.
     Below the standings people talk: like what they say, and answer.
  4. Score yourself, the way a game server does:
     curl {site}/api/v1/scores -H "Authorization: Bearer $(cat {folder.service_key})" \\
       -H "Content-Type: application/json" \\
       -d '{{"entries": [{{"board": 1, "player": "robin", "points": 500}}]}}'
  5. Kill something and watch: kill -9 $(cat {folder.pid(_to_kill(options))})

E-mails are not sent: they stand in {folder.log("worker")}. Passkeys need a name: http://localhost:{options.port}
Logs are in {folder.log("web").parent}. Ctrl-C stops everything.
"""


def _to_kill(options: Options) -> str:
    if options.redis_url:
        return "web"
    return "node-0" if options.is_cluster else "redis"


def _number(environment: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = environment.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise DemoError(f"{name} is {text!r}; it must be a whole number from {least} to {most}.")
    return int(text)


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        # Like servers, treat a port in TIME_WAIT as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError as error:
            raise DemoError(
                f"Port {port} is not ours to open; take one above 1023: PORT=8000 {file_locations.DEMO}"
            ) from error
        except OSError:
            return False
    return True

"""A Nakama on loopback with a PostgreSQL of its own (fsync on): boards full of players, and what to ask of it.

The caller has built the binary; ``README.md`` says how. Its players sign in by their device: what they get by that is a
token signed with the server's key, and so many are signed here, since a hundred thousand sign-ins would take minutes.
"""

import base64
import contextlib
import hashlib
import hmac
import json
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.harness.load import HOST
from benchmarks.harness.servers import ROOM
from benchmarks.harness.wrk import Ask, asked_of
from config.local import child_process, postgres

MODULE = Path(__file__).parent.parent / "lua" / "write_many.lua"
SIGNED_WITH, CALLED_WITH = "only-for-benchmarks", "only-for-benchmarks"
HOURS = 2
GIVE_UP_SECONDS = 60.0
TOLD = '"owner_id":"'  # of two writes of a player at once one may be told no rank
RECORD = '{"score":"{points}"}'
ENTRY = '{"board":"%s","player":"{player}","points":{points}}'
# Players are numbered; a device is one's way in. A board takes the latest score, the highest is first.
_USERS = (
    "INSERT INTO users (id, username) SELECT ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid,"
    " 'player-' || n FROM generate_series(1, %(players)s) n ON CONFLICT DO NOTHING"
)
_DEVICES = (
    "INSERT INTO user_device (id, user_id) SELECT 'device-of-' || username, id FROM users WHERE username <> ''"
    " ON CONFLICT DO NOTHING"
)
_BOARD = "INSERT INTO leaderboard (id, authoritative, sort_order, operator) VALUES (%(board)s, false, 1, 1)"
_RECORDS = (
    "INSERT INTO leaderboard_record (leaderboard_id, owner_id, username, score)"
    " SELECT %(board)s, id, username, (random() * 1000000)::bigint FROM users WHERE username <> ''"
    " AND substr(username, length('player-') + 1)::bigint <= %(players)s ORDER BY random()"
)


@dataclass(slots=True)
class Nakama:
    """A server that runs, or runs again after ``restart``."""

    command: list[str]
    log: Path
    port: int
    dsn: str
    database: int  # PostgreSQL's process
    child: "subprocess.Popen[bytes]"

    @property
    def pids(self) -> tuple[int, int]:
        """Its own process, and PostgreSQL's."""
        return self.child.pid, self.database

    def asks(self, board: str, players: Path) -> dict[str, Ask]:
        """What there is to compare; ``players`` names a file of them with their tokens."""
        at = f"/v2/leaderboard/{board}"
        batch = Ask(
            f"/v2/rpc/write_many?unwrap&http_key={CALLED_WITH}", '"written":100', _without_tokens(players), 100,
            '{"entries":[{entries}]}', ENTRY % board,
        )  # fmt: skip  # as a table
        return {
            "single": Ask(at, TOLD, players, 1, "{entries}", RECORD),
            "batch": batch,
            "top_20": Ask(f"{at}?limit=20", TOLD, players),
            "top_100": Ask(f"{at}?limit=100", TOLD, players),
            "around": Ask(f"{at}/owner/{{player}}?limit=11", TOLD, players),
            "own": Ask(f"{at}?owner_ids={{player}}", TOLD, players),
            "top_and_own": Ask(f"{at}?limit=20&owner_ids={{player}}", '"owner_records":[{', players),
        }

    def kill(self) -> None:
        """Without a word, as a crash does."""
        self.child.kill()
        self.child.wait()

    def start_again(self) -> None:
        """Start it, and wait for nothing."""
        self.child = _started(self.command, self.log)


@contextmanager
def running(binary: Path, folder: Path, boards: dict[str, int]) -> Iterator[Nakama]:
    """Serve boards, by name and how many players each has, until the end of the block."""
    port, console, tables = _ports()
    made = postgres.create(locale="C")
    database = replace(
        made, durable=True, settings=ROOM | {"listen_addresses": HOST, "port": str(tables)}
    )  # it comes by TCP alone
    child = database.start()
    try:
        address = f"postgres@{HOST}:{tables}/nakama"
        log = folder / "nakama.log"
        _migrate(binary, address, log)
        dsn = f"host={HOST} port={tables} user=postgres dbname=nakama"
        _fill(dsn, boards)
        modules = folder / "modules"
        modules.mkdir()
        shutil.copy(MODULE, modules)
        command = [
            str(binary), "--name", "bench", "--database.address", address, "--data_dir", str(folder),
            "--socket.address", HOST, "--socket.port", str(port), "--console.address", HOST,
            "--console.port", str(console), "--runtime.path", str(modules), "--runtime.http_key", CALLED_WITH,
            "--session.encryption_key", SIGNED_WITH, "--session.token_expiry_sec", str(HOURS * 3600),
            "--logger.level", "WARN",
        ]  # fmt: skip  # as a table
        served = Nakama(command, log, port, dsn, child.pid, _started(command, log))
        try:
            _wait(served)
            yield served
        finally:
            served.kill()
    finally:
        database.stop(child)


def version(binary: Path) -> str:
    """What it says it is."""
    told = subprocess.run([str(binary), "--version"], capture_output=True, text=True, check=True, timeout=30)
    return told.stdout.strip()


def owner(number: int) -> str:
    """The id of a player by their number."""
    return f"00000000-0000-4000-8000-{number:012x}"


def token(number: int) -> str:
    """What signing in by their device would give a player: HS256 over who they are, and until when."""
    now = int(time.time())
    told = {"tid": owner(number), "uid": owner(number), "usn": f"player-{number}"}
    head = _encoded({"alg": "HS256", "typ": "JWT"}) + b"." + _encoded(told | {"exp": now + HOURS * 3600, "iat": now})
    signed = hmac.digest(SIGNED_WITH.encode(), head, hashlib.sha256)
    return (head + b"." + _plain(signed)).decode()


def players(folder: Path, many: int) -> Path:
    """A file of players of a board of so many, with their tokens."""
    path = folder / f"owners-{many}"
    path.write_text("".join(f"{owner(n)}\t{token(n)}\n" for n in asked_of(many)))
    return path


def _without_tokens(players: Path) -> Path:
    """The same for calls that carry the server's key."""
    path = players.with_suffix(".named")
    path.write_text("".join(f"{line.partition(chr(9))[0]}\n" for line in players.read_text().splitlines()))
    return path


def _encoded(told: dict[str, Any]) -> bytes:
    return _plain(json.dumps(told, separators=(",", ":")).encode())


def _plain(raw: bytes) -> bytes:
    return base64.urlsafe_b64encode(raw).rstrip(b"=")


def _ports() -> tuple[int, int, int]:
    """Of the API (the one below is for gRPC), of the console (the third below is), and of PostgreSQL."""
    while True:
        with contextlib.ExitStack() as stack:
            first = stack.enter_context(socket.socket())
            first.bind((HOST, 0))
            port = int(first.getsockname()[1])
            try:
                for other in (port - 1, port + 2, port + 5, port + 6):
                    stack.enter_context(socket.socket()).bind((HOST, other))
            except (OSError, OverflowError):
                continue
            return port, port + 5, port + 6


def _migrate(binary: Path, address: str, log: Path) -> None:
    done = subprocess.run(
        [str(binary), "migrate", "up", "--database.address", address], capture_output=True, text=True, check=False
    )
    log.write_text(done.stderr)
    if done.returncode:
        raise SystemExit(f"Nakama's tables could not be made: {done.stderr[-2000:]}")


def _fill(dsn: str, boards: dict[str, int]) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute(_USERS, {"players": max(boards.values())})
        connection.execute(_DEVICES)
        for board, many in boards.items():
            connection.execute(_BOARD, {"board": board})
            connection.execute(_RECORDS, {"board": board, "players": many})
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def _started(command: list[str], log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as written:
        return child_process.start(command, stdin=subprocess.DEVNULL, stdout=written, stderr=written)


def _wait(served: Nakama) -> None:
    deadline = time.monotonic() + GIVE_UP_SECONDS
    while True:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"http://{HOST}:{served.port}/", timeout=5):
            return
        if served.child.poll() is not None or time.monotonic() > deadline:
            raise SystemExit(f"Nakama did not start: {served.log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.1)

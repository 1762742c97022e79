"""Servers with the users and roles of the Compose file: the product does all its work, a thief of a password little.

Real servers, started from the files that are shipped (config/servers). No container runs here: what only Docker does
(networks, secrets as mounts) is judged by what the Compose file says.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
import redis

from config.local import child_process
from tests.security.front import ROOT
from tests.security.guarded import SERVERS, Guarded, guarded, run_roles

LUA = [*ROOT.glob("*/scripts/*.lua"), *ROOT.glob("*/*/scripts/*.lua"), *ROOT.glob("*/*/*/scripts/**/*.lua")]
pytestmark = pytest.mark.long

USERS = {
    "boards": [("sunwi", "boards_password")],
    "passing": [("cache", "cache_password"), ("broker", "broker_password")],
}


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Guarded]:
    with guarded(tmp_path_factory.mktemp("guarded")) as made:
        yield made


@pytest.fixture(scope="module")
def migrated(servers: Guarded, tmp_path_factory: pytest.TempPathFactory) -> Guarded:
    """After the Compose file's first step, as that service and nobody else."""
    done = servers.run("manage.py", "migrate", "--noinput", "-v0", service="migrate", data=tmp_path_factory.mktemp("d"))
    assert done.returncode == 0, done.stderr
    return servers


def refusals(made: Guarded, server: str) -> list[str]:
    """What the server has refused to anybody: its log of that, read as its admin."""
    with made.redis(server, "admin", f"{server}_admin_password") as admin:
        return [f"{each['username']}: {each['reason']} {each['object']}" for each in admin.acl_log()]


def forget_refusals(made: Guarded) -> None:
    for server in USERS:
        with made.redis(server, "admin", f"{server}_admin_password") as admin:
            admin.acl_log_reset()


def test_the_product_does_all_its_work_with_the_least_rights(migrated: Guarded, tmp_path: Path) -> None:
    forget_refusals(migrated)

    done = migrated.run("-W", "error::RuntimeWarning", "-m", "tests.security.guarded_work", data=tmp_path)

    assert done.returncode == 0, done.stderr[-4000:]
    assert [refusals(migrated, server) for server in USERS] == [[], []]


def test_worker_and_beat_work_over_the_brokers_own_user_and_the_doctor_finds_nothing_red(
    migrated: Guarded, tmp_path: Path
) -> None:
    forget_refusals(migrated)
    celery = [sys.executable, "-m", "config.run_celery", "-A"]
    with ExitStack() as stack:
        for command in (
            ["config", "worker", "--pool", "threads", "-c", "1", "-l", "WARNING"],
            ["config.beat", "beat", "-l", "WARNING"],
        ):
            stack.enter_context(running([*celery, *command], migrated, tmp_path))
        doctor = ask_until(lambda: migrated.run("manage.py", "doctor", data=tmp_path), lambda it: it.returncode == 0)

    assert doctor.returncode == 0, doctor.stdout + (tmp_path / "log").read_text()[-3000:]
    assert [refusals(migrated, server) for server in USERS] == [[], []]


@contextmanager
def running(command: list[str], made: Guarded, folder: Path) -> Iterator[None]:
    """A process of the product for as long as the block."""
    environment = made.whole_environment("", folder)
    with (folder / "log").open("ab") as log:
        child = child_process.start(
            command, cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    try:
        yield
    finally:
        child_process.stop(child)


def ask_until(ask: Callable[[], Any], enough: Callable[[Any], bool], seconds: float = 60) -> Any:
    """The first answer that is enough, or the last one."""
    give_up = time.monotonic() + seconds
    while not enough(answer := ask()) and time.monotonic() < give_up:
        time.sleep(0.5)
    return answer


FORBIDDEN = (
    "FLUSHALL", "FLUSHDB", "CONFIG GET *", "CONFIG SET dir /tmp", "KEYS *", "DEBUG SLEEP 0", "MONITOR", "SHUTDOWN",
    "SAVE", "BGREWRITEAOF", "REPLICAOF 127.0.0.1 1", "ACL LIST", "ACL SETUSER sunwi +@all", "CLIENT LIST",
    "CLIENT KILL TYPE normal", "MODULE LIST", "FUNCTION FLUSH", "SCRIPT FLUSH", "SWAPDB 0 1", "MIGRATE h 1 k 0 1",
    "DUMP LeaderBoard_1_x", "OBJECT ENCODING LeaderBoard_1_x", "SLOWLOG GET", "LATENCY RESET", "CLUSTER INFO",
)  # fmt: skip  # as a list


@pytest.mark.parametrize("server", USERS)
def test_who_has_the_applications_password_empties_configures_and_spies_on_nothing(
    servers: Guarded, server: str
) -> None:
    for user, password in USERS[server]:
        with servers.redis(server, user, password) as thief:
            for command in FORBIDDEN:
                with pytest.raises(redis.exceptions.ResponseError, match=r"no permissions|not allowed"):
                    thief.execute_command(*command.split())
            with pytest.raises(redis.exceptions.NoPermissionError):
                thief.set("somebody elses", "1")
            with pytest.raises(redis.exceptions.ResponseError, match=r"No permissions|ACL"):
                thief.eval("return redis.call('FLUSHALL')", 0)


def test_nobody_without_a_password_and_only_a_sign_of_life_for_the_health_check(servers: Guarded) -> None:
    for server in USERS:
        port = getattr(servers, server)
        with redis.Redis("127.0.0.1", port) as nobody, pytest.raises(redis.exceptions.AuthenticationError):
            nobody.ping()
        with redis.Redis("127.0.0.1", port, username="health", password="any") as health:
            assert health.ping()
            for command in ("INFO", "GET LeaderBoard_1", "EVAL return 0", "SUBSCRIBE x"):
                with pytest.raises(redis.exceptions.NoPermissionError):
                    health.execute_command(*command.split())
        default = redis.Redis("127.0.0.1", port, username="default", password="")
        with default, pytest.raises(redis.exceptions.AuthenticationError):
            default.ping()


def test_the_cache_reads_no_task_and_the_broker_no_page_and_neither_a_board(servers: Guarded) -> None:
    with (
        servers.redis("passing", "cache", "cache_password") as cache,
        servers.redis("passing", "broker", "broker_password", 1) as broker,
        servers.redis("boards", "sunwi", "boards_password") as boards,
    ):
        assert cache.set("plain:1:card:1", "x")
        assert broker.lpush("celery", "task")
        assert boards.set("{LeaderBoard_1_2026}:gen", "1")
        for thief, command in (
            (cache, "LPUSH celery planted"),
            (cache, "SET celery planted"),
            (cache, "PUBLISH /1.celery.pidbox shutdown"),
            (broker, "GET plain:1:card:1"),
            (broker, "SET plain:1:card:1 planted"),
        ):
            with pytest.raises(redis.exceptions.NoPermissionError):
                thief.execute_command(*command.split())
    with pytest.raises(redis.exceptions.AuthenticationError):
        servers.redis("boards", "sunwi", "cache_password").ping()


def test_every_command_of_every_script_is_allowed_and_no_dangerous_one_besides() -> None:
    allowed = commands_of("boards", "sunwi")
    called = {found.lower() for file in LUA for found in re.findall(r"'([A-Z]{3,})'", file.read_text())}
    options = {"count", "limit", "withscores", "match", "and", "xor", "not", "bit"}

    assert len(LUA) > 50
    assert called - options - {"late", "noscript", "busy", "err", "lua"} <= allowed
    assert not allowed & {"keys", "config", "flushall", "flushdb", "debug", "acl", "shutdown", "script|flush", "client"}


def commands_of(server: str, user: str) -> set[str]:
    """What a user may call, as the shipped list has it."""
    text = (SERVERS / f"{server}.acl").read_text().partition(f"\nuser {user} ")[2].partition("\n\n")[0]
    return set(re.findall(r"\s\+(\S+)", text))


def test_the_application_is_no_superuser_owns_nothing_and_reaches_no_other_database(migrated: Guarded) -> None:
    forbidden = (
        "CREATE TABLE mine (id int)", "CREATE SCHEMA mine", "CREATE TEMPORARY TABLE mine (id int)", "CREATE ROLE other",
        "CREATE DATABASE other", "DROP TABLE leaderboards_board", "ALTER TABLE leaderboards_board ADD COLUMN x int",
        "TRUNCATE leaderboards_board", "ALTER ROLE sunwi_app SUPERUSER", "SET ROLE sunwi_owner", "SET ROLE postgres",
        "COPY leaderboards_board TO '/tmp/stolen'", "COPY leaderboards_board FROM PROGRAM 'id'",
        "SELECT pg_read_file('/etc/passwd')", "SELECT lo_import('/etc/passwd')", "SELECT * FROM pg_authid",
        "SELECT lo_from_bytea(0, 'x')", "SELECT lo_create(0)", "SELECT lo_creat(-1)",
        "CREATE EXTENSION dblink", "ALTER SYSTEM SET work_mem = '1GB'", "ALTER DATABASE sunwi SET work_mem = '1MB'",
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'postgres'",
    )  # fmt: skip  # as a list
    with migrated.sql("sunwi_app", migrated.secret("database_password")) as thief:
        for statement in forbidden:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                thief.execute(statement)
        assert thief.execute("SELECT count(*) FROM leaderboards_board").fetchone()


def test_no_role_gets_in_with_anothers_password_or_into_another_database(migrated: Guarded) -> None:
    app, owner = migrated.secret("database_password"), migrated.secret("migrate_password")
    for user, password, database in (
        ("sunwi_app", owner, "sunwi"), ("sunwi_owner", app, "sunwi"), ("postgres", owner, "sunwi"),
        ("sunwi_app", "", "sunwi"), ("sunwi_app", app, "postgres"), ("sunwi_owner", owner, "template1"),
    ):  # fmt: skip  # as a table
        with pytest.raises(psycopg.OperationalError):
            migrated.sql(user, password, database)
    with migrated.sql("sunwi_owner", owner) as migrating:
        for statement in ("CREATE ROLE other", "CREATE DATABASE other", "SELECT pg_read_file('/etc/passwd')"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                migrating.execute(statement)
        # What a later migration makes is open to the application by itself.
        migrating.execute("CREATE TABLE later (id serial primary key)")
    with migrated.sql("sunwi_app", app) as working:
        assert working.execute("INSERT INTO later DEFAULT VALUES RETURNING id").fetchone() == (1,)


@pytest.fixture
def shared(servers: Guarded) -> Iterator[psycopg.Connection]:
    """The superuser of the server as another project has it, with a role of its own; afterwards it is Sunwi's alone."""
    rules = servers.server.folder / "data" / "pg_hba.conf"
    before = rules.read_text()
    with psycopg.connect(
        host=str(servers.server.folder), port=servers.postgres, user="postgres", dbname="postgres", autocommit=True
    ) as superuser:
        superuser.execute("CREATE ROLE neighbour LOGIN PASSWORD 'of the neighbour'")
        superuser.execute("GRANT CONNECT, TEMPORARY ON DATABASE postgres TO PUBLIC")
        superuser.execute("GRANT CONNECT ON DATABASE template1 TO PUBLIC")
        yield superuser
        rules.write_text(before)
        superuser.execute("SELECT pg_reload_conf()")
        superuser.execute("DROP ROLE neighbour")
    assert run_roles(servers, servers.secrets).returncode == 0


def test_on_a_shared_server_others_keep_their_rights_and_the_guides_lines_shut_our_roles_out(
    servers: Guarded, shared: psycopg.Connection
) -> None:
    rights = "SELECT datname, datacl FROM pg_database WHERE datname <> 'sunwi' ORDER BY 1"
    before = shared.execute(rights).fetchall()
    assert run_roles(servers, servers.secrets, in_compose=False).returncode == 0
    assert shared.execute(rights).fetchall() == before
    guide = (ROOT / "docs/operations/systemd-kubernetes.md").read_text()
    [lines] = re.findall(r"^```\n(host .*?)```$", guide, re.MULTILINE | re.DOTALL)
    rules = servers.server.folder / "data" / "pg_hba.conf"

    rules.write_text(lines + rules.read_text())
    shared.execute("SELECT pg_reload_conf()")

    assert shared.execute("SELECT count(*) FROM pg_hba_file_rules WHERE error IS NOT NULL").fetchone() == (0,)
    ours = {name: servers.secret(f"{kind}_password") for name, kind in OUR_ROLES.items()}
    ask_until(lambda: enters(servers, "sunwi_app", ours["sunwi_app"], "postgres"), lambda it: not it)
    for name, password in ours.items():
        assert [enters(servers, name, password, each) for each in DATABASES] == [False, False, True]
    assert [enters(servers, "neighbour", "of the neighbour", each) for each in DATABASES] == [True, True, False]


OUR_ROLES = {"sunwi_owner": "migrate", "sunwi_app": "database"}
DATABASES = ("postgres", "template1", "sunwi")


def enters(made: Guarded, role: str, password: str, database: str) -> bool:
    """Whether the server lets the role in."""
    try:
        made.sql(role, password, database).close()
    except psycopg.OperationalError:
        return False
    return True

"""`make secrets`: make the secret files that the Compose file mounts into its containers. Existing files stay.

Each secret is a file with one line, in a folder that only its owner can enter. The lists of Redis users are written
each time, with hashed passwords. Standard library only. The trap: containers run as other users, who must be able to
read the files, so the files are readable and the folder is not.
"""

import argparse
import hashlib
import re
import secrets
import stat
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
MADE = (
    "secret_key", "encryption_keys", "postgres_password", "migrate_password", "database_password",
    "boards_password", "boards_admin_password", "cache_password", "broker_password", "passing_admin_password",
    "metrics_token",
)  # fmt: skip  # as a list
GIVEN = {"secret_key_fallbacks": "", "email_url": "dummymail://"}  # values that the operator changes
USERS = ("boards.acl", "passing.acl")
BYTES = 48


class Refused(Exception):
    """A file or folder cannot be used; the message says what to do."""


def prepare(folder: Path) -> list[str]:
    """Make the files that are missing in ``folder``; return their names. Raises ``Refused`` or ``OSError``."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        raise Refused(f"Others of this machine may enter {folder}: chmod 700 it.")
    for name in (*MADE, *GIVEN):
        _let_write(folder / name)
    made = [name for name in MADE if _make(folder / name, secrets.token_urlsafe(BYTES))]
    made += [name for name, content in GIVEN.items() if _make(folder / name, content)]
    for name in USERS:
        _replace(folder / name, users(HERE / name, folder))
    return made


def users(template: Path, folder: Path) -> str:
    """The ACL file for Redis: one line for each user, without comments, with SHA-256 hashes for secrets."""
    lines = [line for line in template.read_text().splitlines() if line and not line.startswith("#")]
    joined = re.sub(r"\n\s+", " ", "\n".join(lines))
    return re.sub(r"#\{(\w+)\}", lambda match: f"#{_hash(folder / match[1])}", joined) + "\n"


def _hash(file: Path) -> str:
    secret = file.read_text().removesuffix("\n")
    if len(secret) < 20 or "\n" in secret:
        raise Refused(f"{file} is no password of at least 20 characters on one line: remove it, and it is made anew.")
    return hashlib.sha256(secret.encode()).hexdigest()


def _make(file: Path, content: str) -> bool:
    """Make the file if it is missing, writable for its owner; return whether it was missing."""
    try:
        with file.open("x") as written:
            written.write(f"{content}\n")
    except FileExistsError:
        return False
    file.chmod(0o644)
    return True


def _let_write(file: Path) -> None:
    """Make a file of an earlier version writable for its owner, who is told to edit it."""
    if file.exists() and not file.stat().st_mode & stat.S_IWUSR:
        file.chmod(file.stat().st_mode | stat.S_IWUSR)


def _replace(file: Path, content: str) -> None:
    """Rewrite the file in place, because running containers have mounted it; they read it after a restart."""
    if file.exists():
        file.chmod(0o644)
    file.write_text(content)
    file.chmod(0o444)


def main() -> int:
    """Make the files; exit status 1 if something must be done by hand."""
    parser = argparse.ArgumentParser(description="Make the secrets of the Compose file")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    try:
        made = prepare(folder)
    except (Refused, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{folder}: {', '.join(made) or 'nothing was missing'}; users of both Redis are written.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

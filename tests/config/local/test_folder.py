"""The demo's data folder: one holder, private secrets, clear refusals."""

import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from config.local import folder as folders
from config.local.folder import Folder
from config.local.trouble import Trouble


def test_a_folder_has_one_holder_at_a_time(tmp_path: Path) -> None:
    with folders.claim(tmp_path), pytest.raises(Trouble, match="already runs"), folders.claim(tmp_path):
        pass

    with folders.claim(tmp_path) as folder:
        assert folder.root == tmp_path


def test_a_file_where_the_folder_should_be_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")

    with pytest.raises(Trouble, match="can not be used") as refusal, folders.claim(tmp_path / "data"):
        pass

    assert "\n" not in str(refusal.value)


def test_the_secret_key_and_passwords_are_those_of_the_last_start(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    key, passwords = folder.secret_key(), folder.passwords("admin", "player")

    folder.write_env({"SECRET_KEY": key, "PORT": "8000"})

    assert folder.secret_key() == key
    assert folder.passwords("admin", "player") == passwords
    assert passwords["admin"] != passwords["player"]


@pytest.mark.parametrize(
    ("file", "damage", "read"),
    [
        ("env", "\x00\x00garbage\n", Folder.secret_key),
        ("logins.json", '{"admin": ', lambda folder: folder.passwords("admin")),
    ],
)
def test_damaged_settings_and_logins_are_refused(
    tmp_path: Path, file: str, damage: str, read: Callable[[Folder], object]
) -> None:
    (tmp_path / file).write_text(damage)

    with pytest.raises(Trouble, match=f"{file} is damaged"):
        read(Folder(tmp_path))


def test_secrets_are_for_their_owner_alone_and_nobody_else_may_look_into_a_new_folder(tmp_path: Path) -> None:
    with folders.claim(tmp_path / "deep" / "data") as folder:
        folder.write_env({"SECRET_KEY": "secret"})
        folder.passwords("admin")

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (folder.root, folder.env, folder.root / "logins.json")]
    assert modes == [0o700, 0o600, 0o600]

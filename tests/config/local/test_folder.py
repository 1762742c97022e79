"""The demo's data folder: one holder, private secrets, clear refusals."""

import stat
from pathlib import Path

import pytest

from config.local import folder as folders
from config.local.folder import Folder
from config.local.trouble import Trouble


def test_a_folder_has_one_holder(tmp_path: Path) -> None:
    with folders.claim(tmp_path), pytest.raises(Trouble, match="already runs"), folders.claim(tmp_path):
        pass


def test_a_folder_is_free_again_when_its_holder_is_done(tmp_path: Path) -> None:
    with folders.claim(tmp_path):
        pass

    with folders.claim(tmp_path) as folder:
        assert folder.root == tmp_path


def test_a_file_where_the_folder_should_be_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("not a folder")

    with pytest.raises(Trouble, match="can not be used") as refusal, folders.claim(tmp_path / "data"):
        pass

    assert "\n" not in str(refusal.value)


def test_the_secret_key_is_the_one_of_the_last_start(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = folder.secret_key()
    folder.write_env({"SECRET_KEY": first, "PORT": "8000"})

    assert folder.secret_key() == first


def test_settings_without_a_secret_key_are_damaged(tmp_path: Path) -> None:
    (tmp_path / "env").write_text("\x00\x00garbage\n")

    with pytest.raises(Trouble, match="damaged"):
        Folder(tmp_path).secret_key()


def test_damaged_logins_are_refused(tmp_path: Path) -> None:
    (tmp_path / "logins.json").write_text('{"admin": ')

    with pytest.raises(Trouble, match=r"logins\.json is damaged"):
        Folder(tmp_path).passwords("admin")


def test_passwords_differ_and_stay(tmp_path: Path) -> None:
    folder = Folder(tmp_path)

    passwords = folder.passwords("admin", "player")

    assert passwords["admin"] != passwords["player"]
    assert folder.passwords("admin", "player") == passwords


def test_secrets_are_for_their_owner_alone(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.write_env({"SECRET_KEY": "secret"})
    folder.passwords("admin")

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (folder.env, tmp_path / "logins.json")}

    assert modes == {0o600}


def test_nobody_else_may_look_into_a_new_folder(tmp_path: Path) -> None:
    with folders.claim(tmp_path / "deep" / "data") as folder:
        assert stat.S_IMODE(folder.root.stat().st_mode) == 0o700

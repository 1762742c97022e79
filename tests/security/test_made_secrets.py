"""The folder of secrets that `make secrets` makes: who can read it, what stays and what is refused."""

from pathlib import Path

import pytest

from config.servers import prepare


def test_secrets_are_made_once_and_lists_of_users_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    made = prepare.prepare(folder)
    held = {each.name: each.read_text() for each in folder.iterdir()}
    (folder / "cache_password").unlink()

    again = prepare.prepare(folder)

    now = {each.name: each.read_text() for each in folder.iterdir()}
    assert set(made) == {*prepare.MADE, *prepare.GIVEN}
    assert again == ["cache_password"]
    assert {name for name, content in now.items() if content != held[name]} == {"cache_password", "passing.acl"}
    assert folder.stat().st_mode & 0o077 == 0
    assert not any(held[name].strip() in now[users] for name in prepare.MADE for users in prepare.USERS)


def test_their_owner_writes_into_secrets_as_documents_say_and_containers_read_them(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    prepare.prepare(folder)
    (folder / "secret_key").chmod(0o444)  # as earlier versions made them

    prepare.prepare(folder)

    modes = {each.name: each.stat().st_mode & 0o777 for each in folder.iterdir()}
    assert {name: modes[name] for name in (*prepare.MADE, *prepare.GIVEN)} == dict.fromkeys(
        (*prepare.MADE, *prepare.GIVEN), 0o644
    )
    assert {modes[name] for name in prepare.USERS} == {0o444}  # written anew each time


def test_secrets_that_others_can_reach_or_guess_are_refused(tmp_path: Path) -> None:
    opened, guessed = tmp_path / "opened", tmp_path / "guessed"
    opened.mkdir()
    opened.chmod(0o755)
    guessed.mkdir(mode=0o700)
    (guessed / "boards_password").write_text("hunter2\n")

    with pytest.raises(prepare.Refused, match="chmod 700"):
        prepare.prepare(opened)
    with pytest.raises(prepare.Refused, match="boards_password is no password of at least 20 characters"):
        prepare.prepare(guessed)
    assert list(opened.iterdir()) == []

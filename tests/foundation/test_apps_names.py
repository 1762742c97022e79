"""A module of the project that has the name of one of our apps is refused by a sentence."""

import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from foundation.apps import refuse_other_modules

ROOT = Path(__file__).parents[2]


def test_our_own_modules_pass() -> None:
    refuse_other_modules(("accounts", "leaderboards", "likes", "competitions"))


@pytest.mark.parametrize("made", ["hidden_app.py", "hidden_app/__init__.py", "hidden_app/models.py"])
def test_another_module_is_told_with_its_place(made: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / made).parent.mkdir(exist_ok=True)
    (tmp_path / made).touch()
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(ImproperlyConfigured, match=f"'hidden_app' is {tmp_path}/hidden_app.*give it another name"):
        refuse_other_modules(("hidden_app",))


def test_a_module_that_is_not_there_is_said_so() -> None:
    with pytest.raises(ImproperlyConfigured, match="'nobody_has_this' is not there"):
        refuse_other_modules(("nobody_has_this",))


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ("foundation", 'INSTALLED_APPS lacks "foundation", which "accounts" needs. Add it there.'),
        ("accounts", 'INSTALLED_APPS lacks "accounts", which "foundation" needs. Add it there.'),
        ("leaderboards", 'INSTALLED_APPS lacks "leaderboards", which "accounts" needs. Add it there.'),
        ("likes", 'INSTALLED_APPS lacks "likes", which "competitions" needs. Add it there.'),
    ],
)
def test_an_app_that_is_left_out_is_named_with_what_needs_it(lacking: str, said: str) -> None:
    apps = ["accounts", "foundation", "leaderboards", "likes", "competitions"]
    installed = ["django.contrib.auth", "django.contrib.contenttypes", *(each for each in apps if each != lacking)]
    code = f"""
from django.conf import settings
settings.configure(SECRET_KEY="a-key-of-the-host", INSTALLED_APPS={installed!r},
    DATABASES={{"default": {{"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}}})
import django
django.setup()
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"django.core.exceptions.ImproperlyConfigured: {said}"

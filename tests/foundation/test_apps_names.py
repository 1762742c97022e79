"""A module of the project that has the name of one of our apps is refused by a sentence."""

from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from foundation.apps import refuse_other_modules


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

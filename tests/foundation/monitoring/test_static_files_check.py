"""Static files of a project that have a name of Sunwi's are told: only one of two is served."""

from pathlib import Path

from pytest_django import Settings

from foundation.monitoring.static_files_check import static_files_have_names_of_their_own


def test_our_own_project_has_each_name_once() -> None:
    assert static_files_have_names_of_their_own() == []


def test_names_that_a_project_has_too_are_told(settings: Settings, tmp_path: Path) -> None:
    for name in ("css/base.css", "css/game/base.css", "js/live.js"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    settings.STATICFILES_DIRS = [tmp_path, *settings.STATICFILES_DIRS]

    (found,) = static_files_have_names_of_their_own()

    assert (found.id, found.msg) == (
        "sunwi.W006",
        "Static files of yours have names of Sunwi's: css/base.css, js/live.js.",
    )
    assert "static/game/css/" in str(found.hint)

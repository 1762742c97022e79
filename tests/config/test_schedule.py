"""The page of everything that happens by itself."""

from celery import current_app

from config.schedule import SCHEDULE


def test_every_entry_expires_after_its_own_interval() -> None:
    for name, entry in SCHEDULE.items():
        assert entry["options"]["expires"] == entry["schedule"], name


def test_every_entry_names_a_task_that_exists() -> None:
    current_app.loader.import_default_modules()

    missing = {entry["task"] for entry in SCHEDULE.values()} - set(current_app.tasks)

    assert not missing

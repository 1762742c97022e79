"""The image: what it takes along. It is built where Docker is; what it forgets would show only there."""

from pathlib import Path

from django.apps import apps
from django.conf import settings


def test_the_image_takes_every_app_of_ours_along() -> None:
    root = settings.BASE_DIR
    copied = {line.split()[1] for line in (root / "Dockerfile").read_text().splitlines() if "COPY" in line}
    let_through = {line[1:] for line in (root / ".dockerignore").read_text().splitlines() if line.startswith("!")}

    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == root}

    assert {"foundation", "leaderboards"} < ours
    assert ours <= copied & let_through


def test_nothing_starts_before_the_servers_were_checked() -> None:
    services = (settings.BASE_DIR / "docker-compose.yml").read_text().partition("\nservices:\n")[2]

    first, _, others = services.partition("\n  web:\n")

    assert "manage.py check --deploy && python manage.py migrate" in first
    assert "depends_on: &ready\n      migrate: {condition: service_completed_successfully}" in others
    assert others.count("depends_on: *ready") == 2

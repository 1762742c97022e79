"""The image: what it takes along. It is built where Docker is; what it forgets would show only there."""

from pathlib import Path

from django.apps import apps
from django.conf import settings


def test_the_image_takes_every_app_of_ours_along() -> None:
    copied = {line.split()[1] for line in (settings.BASE_DIR / "Dockerfile").read_text().splitlines() if "COPY" in line}

    ours = {each.name for each in apps.get_app_configs() if Path(each.path).parent == settings.BASE_DIR}

    assert {"foundation", "leaderboards"} < ours
    assert ours <= copied

"""Webhook secrets that were stored as they are get encrypted. Backwards they are written out again."""

from collections.abc import Callable
from typing import Any

from django.apps.registry import Apps
from django.db import migrations

from foundation.security import sealing

COLUMNS = ("secret", "previous_secret")


def encrypt(apps: Apps, _editor: Any) -> None:
    _rewrite(apps, lambda text: text if sealing.is_sealed(text) else sealing.seal(text, sealing.WEBHOOK))


def decrypt(apps: Apps, _editor: Any) -> None:
    _rewrite(apps, lambda text: sealing.unseal(text, sealing.WEBHOOK) if sealing.is_sealed(text) else text)


def _rewrite(apps: Apps, change: Callable[[str], str]) -> None:
    for endpoint in apps.get_model("foundation", "WebhookEndpoint").objects.select_for_update().order_by("pk"):
        for column in COLUMNS:
            setattr(endpoint, column, getattr(endpoint, column) and change(getattr(endpoint, column)))
        endpoint.save(update_fields=COLUMNS)


class Migration(migrations.Migration):
    dependencies = [("foundation", "0007_signatures")]

    operations = [migrations.RunPython(encrypt, decrypt)]

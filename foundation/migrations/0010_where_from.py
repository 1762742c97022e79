"""Where a request came from stands in a column of the audit log; of sign-ins it stood among the details."""

from typing import Any

from django.db import migrations, models

SIGN_INS = ("account.signed_in", "account.sign_in_failed", "account.signed_out")
BATCH = 1000


def out_of_details(apps: Any, schema_editor: Any) -> None:
    """From the details into the column."""
    entries = apps.get_model("foundation", "AuditEntry").objects
    last = 0
    while batch := list(entries.filter(act__in=SIGN_INS, pk__gt=last).order_by("pk")[:BATCH]):
        for entry in batch:
            entry.address = str(entry.note.pop("address", ""))[:50]
        entries.bulk_update(batch, ["address", "note"])
        last = batch[-1].pk


class Migration(migrations.Migration):

    dependencies = [
        ('foundation', '0009_audit'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditentry',
            name='address',
            field=models.CharField(blank=True, default='', max_length=50, verbose_name='address'),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name='auditentry',
            index=models.Index(condition=models.Q(('address', ''), _negated=True), fields=['address', 'at'], name='audit_entry_address'),
        ),
        migrations.RunPython(out_of_details, migrations.RunPython.noop),
    ]

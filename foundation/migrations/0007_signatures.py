"""Keys that demand signatures and addresses, the nonces that were used, and room for secrets that are encrypted."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0006_numbers_of_generations")]

    operations = [
        migrations.AddField(
            model_name="servicekey",
            name="addresses",
            field=models.JSONField(blank=True, null=True, verbose_name="addresses"),
        ),
        migrations.AddField(
            model_name="servicekey",
            name="signing_secret",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AddField(
            model_name="servicekey",
            name="previous_signing_secret",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AddField(
            model_name="servicekey",
            name="previous_signing_until",
            field=models.DateTimeField(editable=False, null=True, verbose_name="previous secret signs until"),
        ),
        migrations.AlterField(
            model_name="webhookendpoint",
            name="previous_secret",
            field=models.TextField(blank=True, editable=False),
        ),
        migrations.AlterField(
            model_name="webhookendpoint",
            name="secret",
            field=models.TextField(editable=False),
        ),
        migrations.CreateModel(
            name="UsedNonce",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("nonce", models.CharField(max_length=64)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "key",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        to="foundation.servicekey",
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("key", "nonce"), name="nonce_used_once")],
            },
        ),
    ]

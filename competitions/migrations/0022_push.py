"""Browsers that players want to be told in, and the messages that wait for them."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("competitions", "0021_cascades"),
        ("leaderboards", "0046_cascades"),
    ]

    operations = [
        migrations.CreateModel(
            name="PushSubscription",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("endpoint", models.CharField(max_length=1000, unique=True)),
                ("browser_key", models.CharField(max_length=100)),
                ("secret", models.CharField(max_length=30)),
                ("site_key", models.CharField(max_length=20)),
                ("created_at", models.DateTimeField(verbose_name="created")),
                ("rests_until", models.DateTimeField(null=True)),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="push_subscriptions",
                        to="leaderboards.player",
                        verbose_name="player",
                    ),
                ),
            ],
            options={
                "verbose_name": "push subscription",
                "verbose_name_plural": "push subscriptions",
            },
        ),
        migrations.CreateModel(
            name="PushMessage",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(verbose_name="created")),
                ("next_try_at", models.DateTimeField(verbose_name="next try")),
                ("tries", models.PositiveIntegerField(default=0, verbose_name="tries")),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="push_messages",
                        to="competitions.notice",
                        verbose_name="notice",
                    ),
                ),
                (
                    "subscription",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="competitions.pushsubscription",
                    ),
                ),
            ],
            options={
                "verbose_name": "push message",
                "verbose_name_plural": "push messages",
                "indexes": [models.Index(fields=["next_try_at"], name="push_due")],
                "constraints": [models.UniqueConstraint(fields=("notice", "subscription"), name="push_message_unique")],
            },
        ),
    ]

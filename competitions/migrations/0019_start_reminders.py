"""Players who want to be told when a competition starts. A new kind of notice; its column does not change."""

import django.db.models.deletion
from django.db import migrations, models

KINDS = [
    ("first_taken", "took first place"),
    ("first_lost", "lost first place"),
    ("top3_entered", "entered the top 3"),
    ("top10_entered", "entered the top 10"),
    ("extended", "the end was moved"),
    ("cancelled", "the competition was cancelled"),
    ("removed", "removed from a competition"),
    ("disqualified", "disqualified"),
    ("reinstated", "reinstated"),
    ("brought_back", "brought back to a competition"),
    ("score_voided", "a score was voided"),
    ("score_restored", "a score was restored"),
    ("score_accepted", "a late score was accepted"),
    ("result", "the final place"),
    ("result_changed", "the final place changed"),
    ("rewarded", "a reward was won"),
    ("reward_revoked", "a reward was taken back"),
    ("reward_changed", "a reward took the place of another"),
    ("started", "a competition has started"),
    ("summary", "what happened meanwhile"),
]


class Migration(migrations.Migration):
    dependencies = [("competitions", "0018_plain_choices"), ("leaderboards", "0034_schedules")]

    operations = [
        migrations.AlterField(
            model_name="notice",
            name="kind",
            field=models.CharField(choices=KINDS, max_length=15, verbose_name="kind"),
        ),
        migrations.CreateModel(
            name="StartReminder",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("asked_at", models.DateTimeField(verbose_name="asked")),
                (
                    "competition",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="start_reminders",
                        to="competitions.competition",
                        verbose_name="competition",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="start_reminders",
                        to="leaderboards.player",
                        verbose_name="player",
                    ),
                ),
            ],
            options={
                "verbose_name": "start reminder",
                "verbose_name_plural": "start reminders",
                "constraints": [
                    models.UniqueConstraint(fields=["competition", "player"], name="start_reminder_unique"),
                ],
            },
        ),
    ]

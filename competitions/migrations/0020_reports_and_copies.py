"""Players report comments; drafts know from which competition they were made. No column of a present table changes."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

KINDS = [
    ("published", "published"),
    ("extended", "end moved"),
    ("cancelled", "cancelled"),
    ("removed", "participant removed"),
    ("disqualified", "participant disqualified"),
    ("reinstated", "participant reinstated"),
    ("brought_back", "participant brought back"),
    ("moved", "participant moved to another team or division"),
    ("revealed", "revealed"),
    ("confirmed", "result confirmed"),
    ("voided", "score voided"),
    ("restored", "score restored"),
    ("accepted", "late score accepted"),
    ("hidden", "comment hidden"),
    ("shown", "comment shown again"),
    ("taken_back", "reward taken back"),
    ("given_back", "reward given back"),
    ("copied", "made from another competition"),
    ("dismissed", "reports of a comment dismissed"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("competitions", "0019_start_reminders"),
        ("leaderboards", "0034_schedules"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            "change",
            "kind",
            models.CharField(choices=KINDS, max_length=12, verbose_name="what"),
        ),
        migrations.CreateModel(
            name="CommentReport",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=300, verbose_name="reason")),
                ("created_at", models.DateTimeField(verbose_name="reported")),
                ("settled_at", models.DateTimeField(null=True, verbose_name="settled")),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[("hidden", "the comment was hidden"), ("dismissed", "dismissed")],
                        max_length=9,
                        verbose_name="outcome",
                    ),
                ),
                (
                    "comment",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to="competitions.comment",
                    ),
                ),
                (
                    "player",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="comment_reports",
                        to="leaderboards.player",
                        verbose_name="player",
                    ),
                ),
                (
                    "settled_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                        verbose_name="settled by",
                    ),
                ),
            ],
            options={
                "verbose_name": "report",
                "verbose_name_plural": "reports",
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["created_at"], condition=Q(settled_at=None), name="comment_report_open"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=["comment", "player"], name="comment_reported_once"),
                    models.CheckConstraint(
                        condition=Q(settled_at=None, outcome="") | Q(settled_at__isnull=False) & ~Q(outcome=""),
                        name="comment_report_settled_with_outcome",
                    ),
                ],
            },
        ),
    ]

"""Limits of plausibility, and what broke them; moderators and judges may judge it."""

from typing import Any

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


# Whoever may look at submissions, or void them, may do so with those that wait: also a group that was made by hand.
LIKEWISE = {"view_submission": ("view_quarantinedentry",), "change_submission": ("judge_quarantinedentry",)}


def give_permissions(apps: Any, schema_editor: Any) -> None:
    """Permissions are made by Django once all has migrated; those that are needed here are made as it would."""
    Group = apps.get_model("auth", "Group")
    for has, wanted in LIKEWISE.items():
        for group in Group.objects.filter(
            permissions__codename=has, permissions__content_type__app_label="leaderboards"
        ):
            group.permissions.add(*(_permission(apps, each) for each in wanted))


def _permission(apps: Any, codename: str) -> Any:
    kind, _ = apps.get_model("contenttypes", "ContentType").objects.get_or_create(
        app_label="leaderboards", model="quarantinedentry"
    )
    act = codename.partition("_")[0]
    return apps.get_model("auth", "Permission").objects.get_or_create(
        content_type=kind, codename=codename, defaults={"name": f"Can {act} quarantined entry"}
    )[0]


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0018_moderation'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='board',
            name='field_jump',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='jump against the field, times'),
        ),
        migrations.AddField(
            model_name='board',
            name='field_jump_players',
            field=models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='jump against the field, players'),
        ),
        migrations.AddField(
            model_name='board',
            name='own_jump',
            field=models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='jump against their own, times'),
        ),
        migrations.AddField(
            model_name='board',
            name='own_jump_against',
            field=models.CharField(choices=[('best', 'the best of them'), ('median', 'their median')], default='best', max_length=6, verbose_name='jump against their own, held against'),
        ),
        migrations.AddField(
            model_name='board',
            name='own_jump_last',
            field=models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='jump against their own, submissions'),
        ),
        migrations.AddField(
            model_name='board',
            name='plausible_least',
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, verbose_name='plausible points, least'),
        ),
        migrations.AddField(
            model_name='board',
            name='plausible_most',
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, verbose_name='plausible points, most'),
        ),
        migrations.AddField(
            model_name='board',
            name='points_per_minute',
            field=models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='points per minute'),
        ),
        migrations.AddField(
            model_name='board',
            name='quarantined_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='board',
            name='submissions_per_minute',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='submissions per minute'),
        ),
        migrations.CreateModel(
            name='QuarantinedEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('competition', models.BigIntegerField(default=0, verbose_name='competition')),
                ('points', models.BigIntegerField(null=True)),
                ('fields', models.JSONField(null=True)),
                ('at', models.DateTimeField(verbose_name='at')),
                ('sent_at', models.DateTimeField(null=True, verbose_name='sent at')),
                ('service', models.CharField(max_length=100, verbose_name='service')),
                ('external_id', models.CharField(max_length=128, null=True, verbose_name='external id')),
                ('rule', models.CharField(choices=[('plausible_least', 'fewer points than plausible'), ('plausible_most', 'more points than plausible'), ('submissions_per_minute', 'too many submissions in a minute'), ('points_per_minute', 'too many points in a minute'), ('own_jump', 'a jump against their own'), ('field_jump', 'a jump against the field')], max_length=30, verbose_name='rule')),
                ('observed', models.DecimalField(decimal_places=6, max_digits=30, verbose_name='observed')),
                ('limit', models.DecimalField(decimal_places=6, max_digits=30, verbose_name='limit')),
                ('created_at', models.DateTimeField(verbose_name='quarantined')),
                ('accepting_since', models.DateTimeField(editable=False, null=True)),
                ('decision', models.CharField(blank=True, choices=[('accepted', 'accepted'), ('voided', 'voided')], max_length=8, verbose_name='decision')),
                ('decided_at', models.DateTimeField(null=True, verbose_name='decided')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                ('board', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quarantined', to='leaderboards.board', verbose_name='board')),
                ('decided_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='decided by')),
                ('period', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quarantined', to='leaderboards.period', verbose_name='period')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='quarantined', to='leaderboards.player', verbose_name='player')),
            ],
            options={
                'verbose_name': 'quarantined entry',
                'verbose_name_plural': 'quarantined entries',
                'ordering': ('created_at', 'pk'),
                'permissions': [('judge_quarantinedentry', 'Can judge quarantined entry')],
                'indexes': [models.Index(condition=models.Q(('decision', '')), fields=['created_at'], name='quarantined_waiting'), models.Index(condition=models.Q(('decision', ''), _negated=True), fields=['decided_at'], name='quarantined_decided')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('service', 'board', 'competition', 'external_id'), name='quarantined_id_unique')],
            },
        ),
        # Backwards nothing is taken away: somebody may be in a group by now.
        migrations.RunPython(give_permissions, migrations.RunPython.noop),
    ]

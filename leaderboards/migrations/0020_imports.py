"""Imports by the browser: runs, their chunks, and the players they made; operators and admins may import."""

from typing import Any

import django.core.serializers.json
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


NAMES = {
    "view_importrun": "Can view import",
    "import_scores": "Can import scores, and undo that",
    "import_players": "Can import players, and undo that",
    "import_boards": "Can import board settings, and undo that",
}


def give_to_groups(apps: Any, schema_editor: Any) -> None:
    """Operators and admins import; permissions are made here as Django would make them once all has migrated."""
    Group, Permission = apps.get_model("auth", "Group"), apps.get_model("auth", "Permission")
    content_type = apps.get_model("contenttypes", "ContentType")
    kind, _ = content_type.objects.get_or_create(app_label="leaderboards", model="importrun")
    made = [
        Permission.objects.get_or_create(content_type=kind, codename=each, defaults={"name": NAMES[each]})[0]
        for each in NAMES
    ]
    for group in Group.objects.filter(name__in=("operator", "admin")):
        group.permissions.add(*made)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0019_quarantine'),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='ImportRun',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('scores', 'scores'), ('players', 'players'), ('boards', 'board settings')], max_length=10, verbose_name='kind')),
                ('file_name', models.CharField(max_length=200, verbose_name='file')),
                ('digest', models.CharField(max_length=64)),
                ('columns', models.JSONField(default=dict)),
                ('created_at', models.DateTimeField(verbose_name='uploaded')),
                ('rows', models.PositiveIntegerField(default=0, verbose_name='rows')),
                ('judged', models.PositiveIntegerField(default=0)),
                ('applied', models.PositiveIntegerField(default=0)),
                ('undone', models.PositiveIntegerField(default=0)),
                ('refused', models.PositiveIntegerField(default=0, verbose_name='refused')),
                ('left', models.PositiveIntegerField(default=0)),
                ('judged_at', models.DateTimeField(null=True)),
                ('started_at', models.DateTimeField(null=True, unique=True, verbose_name='started')),
                ('done_at', models.DateTimeField(null=True, verbose_name='done')),
                ('undo_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(null=True, verbose_name='undone')),
                ('stopped', models.CharField(blank=True, max_length=300)),
                ('leased_until', models.DateTimeField(null=True)),
                ('report', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder)),
                ('board', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboards.board', verbose_name='board')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('undo_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name': 'import',
                'verbose_name_plural': 'imports',
                'ordering': ('-pk',),
                'permissions': [('import_scores', 'Can import scores, and undo that'), ('import_players', 'Can import players, and undo that'), ('import_boards', 'Can import board settings, and undo that')],
                'default_permissions': ('view',),
            },
        ),
        migrations.CreateModel(
            name='ImportedPlayer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('is_new', models.BooleanField()),
                ('before', models.JSONField(default=dict)),
                ('after', models.JSONField(default=dict)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboards.player')),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='players', to='leaderboards.importrun')),
            ],
        ),
        migrations.CreateModel(
            name='ImportChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nth', models.PositiveIntegerField()),
                ('content', models.BinaryField()),
                ('skipped', models.JSONField(default=list)),
                ('kept', models.JSONField(default=list)),
                ('judged_at', models.DateTimeField(null=True)),
                ('applied_at', models.DateTimeField(null=True)),
                ('undone_at', models.DateTimeField(null=True)),
                ('run', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='leaderboards.importrun')),
            ],
        ),
        migrations.AddIndex(
            model_name='importrun',
            index=models.Index(fields=['digest'], name='import_run_digest'),
        ),
        migrations.AddConstraint(
            model_name='importedplayer',
            constraint=models.UniqueConstraint(fields=('run', 'player'), name='imported_player_unique'),
        ),
        migrations.AddConstraint(
            model_name='importchunk',
            constraint=models.UniqueConstraint(fields=('run', 'nth'), name='import_chunk_unique'),
        ),
        migrations.RunPython(give_to_groups, migrations.RunPython.noop),
    ]

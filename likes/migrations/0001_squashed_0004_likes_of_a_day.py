"""The tables of likes and activity, each made whole: an empty database takes this one, not the four steps that led here.

PostgreSQL looks after new likes more often than it would by itself, since rows it has not looked at since they were
written are read one by one (docs/decisions/0036-most-liked-today-is-counted-from-rows.md).
"""

import django.db.models.deletion
import leaderboards.fields
import likes.fields
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps
from foundation.tables import MakeTables


LOOKED_AFTER = (
    "autovacuum_vacuum_insert_threshold = 50000, autovacuum_vacuum_insert_scale_factor = 0,"
    " autovacuum_vacuum_threshold = 50000, autovacuum_vacuum_scale_factor = 0.02"
)
AS_BEFORE = ", ".join(setting.partition(" =")[0] for setting in LOOKED_AFTER.split(", "))


def look_after(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """After fifty thousand new rows, however many there are."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE likes_like SET ({LOOKED_AFTER})")


def as_before(_apps: StateApps, editor: BaseDatabaseSchemaEditor) -> None:
    """As the server does by itself."""
    if editor.connection.vendor == "postgresql":
        editor.execute(f"ALTER TABLE likes_like RESET ({AS_BEFORE})")


class Migration(migrations.Migration):

    replaces = [
        ('likes', '0001_initial'),
        ('likes', '0002_activity'),
        ('likes', '0003_settled_as_boards_are'),
        ('likes', '0004_likes_of_a_day'),
    ]

    initial = True

    dependencies = [
        ('leaderboards', '0001_squashed_0023_restriction_of_one_period'),
    ]

    operations = [
        MakeTables([
            migrations.CreateModel(
                name='LikeKind',
                fields=[
                    ('kind', models.CharField(max_length=20, primary_key=True, serialize=False)),
                    ('storage', models.CharField(max_length=6)),
                    ('generation', models.BigIntegerField(default=0)),
                    ('stale_since', models.DateTimeField(null=True)),
                    ('settling_until', models.DateTimeField(null=True)),
                    ('whole', models.BooleanField(default=False)),
                ],
            ),
            migrations.CreateModel(
                name='LikeCount',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('thing', leaderboards.fields.ByteOrderedCharField(max_length=64)),
                    ('count', models.BigIntegerField(default=0)),
                    ('unput', models.BooleanField(default=False)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('unput', True)), fields=['kind'], name='like_count_unput')],
                    'constraints': [models.UniqueConstraint(fields=('kind', 'thing'), name='like_count_unique')],
                },
            ),
            migrations.CreateModel(
                name='LikeShard',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('thing', leaderboards.fields.ByteOrderedCharField(max_length=64)),
                    ('shard', models.PositiveSmallIntegerField()),
                    ('count', models.BigIntegerField(default=0)),
                    ('dirty', models.BooleanField(default=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('dirty', True)), fields=['kind'], name='like_shard_dirty')],
                    'constraints': [models.UniqueConstraint(fields=('kind', 'thing', 'shard'), name='like_shard_unique')],
                },
            ),
            migrations.CreateModel(
                name='Like',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20, verbose_name='kind')),
                    ('thing', leaderboards.fields.ByteOrderedCharField(max_length=64, verbose_name='thing')),
                    ('amount', models.PositiveIntegerField(default=1, verbose_name='amount')),
                    ('at', models.DateTimeField(verbose_name='since')),
                    ('version', models.BigIntegerField(default=0)),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='likes', to='leaderboards.player', verbose_name='player')),
                    ('day', models.GeneratedField(db_persist=True, expression=likes.fields.UtcDay('at'), output_field=models.DateField())),
                ],
                options={
                    'verbose_name': 'like',
                    'verbose_name_plural': 'likes',
                    'indexes': [models.Index(condition=models.Q(('amount__gt', 0)), fields=['kind', 'thing', '-at'], name='like_newest'), models.Index(condition=models.Q(('version__gt', 0)), fields=['kind', 'version'], name='like_version'), models.Index(condition=models.Q(('amount__gt', 0)), fields=['kind', 'day', 'thing'], name='like_of_day')],
                    'constraints': [models.UniqueConstraint(fields=('kind', 'thing', 'player'), name='like_unique')],
                },
            ),
            migrations.CreateModel(
                name='LikeChange',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=20)),
                    ('thing', leaderboards.fields.ByteOrderedCharField(max_length=64)),
                    ('amount', models.PositiveIntegerField()),
                    ('delta', models.SmallIntegerField()),
                    ('at', models.DateTimeField()),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='leaderboards.player')),
                ],
                options={
                    'indexes': [models.Index(fields=['kind', 'thing'], name='like_change_thing')],
                },
            ),
            migrations.CreateModel(
                name='ActivityDay',
                fields=[
                    ('day', models.DateField(primary_key=True, serialize=False, verbose_name='day')),
                    ('visitors', models.BinaryField(default=bytes)),
                    ('visitors_count', models.PositiveIntegerField(default=0, verbose_name='visitors')),
                    ('attendance', models.BinaryField(default=bytes)),
                    ('attendance_count', models.PositiveIntegerField(default=0, verbose_name='players')),
                ],
                options={
                    'verbose_name': 'day of activity',
                    'verbose_name_plural': 'activity',
                },
            ),
            migrations.CreateModel(
                name='HitsFlush',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField()),
                    ('moved_at', models.DateTimeField(null=True)),
                    ('counted_at', models.DateTimeField(null=True)),
                ],
            ),
            migrations.CreateModel(
                name='PageHits',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('day', models.DateField()),
                    ('page', models.CharField(max_length=80)),
                    ('count', models.BigIntegerField()),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('day', 'page'), name='page_hits_unique')],
                },
            ),
            migrations.CreateModel(
                name='PlayerNumber',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('number', models.PositiveIntegerField(unique=True)),
                    ('player', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='attendance_number', to='leaderboards.player')),
                ],
                options={
                    'constraints': [models.CheckConstraint(condition=models.Q(('number__lt', 16777216)), name='player_number_has_a_bit')],
                },
            ),
        ]),
        migrations.RunPython(look_after, as_before),
    ]

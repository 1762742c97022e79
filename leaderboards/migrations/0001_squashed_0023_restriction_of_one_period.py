"""The tables of leaderboards, each made whole: an empty database takes this one, not the 23 steps that led here.

Those of moderation, quarantine and imports stand in ``_moderation``, to keep either file short.
The groups that may work with them come with competitions, which knows all that they may do.
"""

import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import leaderboards.fields
import leaderboards.models
from django.conf import settings
from django.db import migrations, models
from leaderboards.migrations import _moderation
from foundation.tables import MakeTables


class Migration(migrations.Migration):

    replaces = [
        ('leaderboards', '0001_initial'),
        ('leaderboards', '0002_difference_unrepaired'),
        ('leaderboards', '0003_lighter_keys'),
        ('leaderboards', '0004_player_name'),
        ('leaderboards', '0005_standing_names'),
        ('leaderboards', '0006_names'),
        ('leaderboards', '0007_kept_ranks'),
        ('leaderboards', '0008_submissions_without_checks'),
        ('leaderboards', '0009_player_banned'),
        ('leaderboards', '0010_days_within_a_century'),
        ('leaderboards', '0011_memory_of_a_period'),
        ('leaderboards', '0012_numbers_of_generations'),
        ('leaderboards', '0013_groups'),
        ('leaderboards', '0014_player_erasing'),
        ('leaderboards', '0015_ban_records'),
        ('leaderboards', '0016_audit_readers'),
        ('leaderboards', '0017_restrictions'),
        ('leaderboards', '0018_moderation'),
        ('leaderboards', '0019_quarantine'),
        ('leaderboards', '0020_imports'),
        ('leaderboards', '0021_purge_all_in'),
        ('leaderboards', '0022_void_submissions'),
        ('leaderboards', '0023_restriction_of_one_period'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('foundation', '0001_squashed_0010_where_from'),
    ]

    operations = [
        MakeTables([
            migrations.CreateModel(
                name='Board',
                fields=[
                    ('seq', models.AutoField(primary_key=True, serialize=False, verbose_name='seq')),
                    ('name', models.CharField(max_length=100, verbose_name='name')),
                    ('period', models.CharField(choices=[('day', 'day'), ('week', 'week'), ('month', 'month'), ('year', 'year'), ('all_time', 'all_time'), ('event', 'event')], default='week', max_length=10, verbose_name='period')),
                    ('timezone', models.CharField(default=leaderboards.models.default_timezone, max_length=64, verbose_name='time zone')),
                    ('week_start', models.CharField(choices=[('monday', 'monday'), ('tuesday', 'tuesday'), ('wednesday', 'wednesday'), ('thursday', 'thursday'), ('friday', 'friday'), ('saturday', 'saturday'), ('sunday', 'sunday')], default='monday', max_length=10, verbose_name='week start')),
                    ('cutoff', models.CharField(default='00:00', help_text='HH:MM, when a day turns over', max_length=5, verbose_name='cut-off')),
                    ('order', models.CharField(choices=[('desc', 'more is better'), ('asc', 'less is better')], default='desc', max_length=4, verbose_name='order')),
                    ('update', models.CharField(choices=[('best', 'best: the best submission counts'), ('latest', 'latest: the latest submission counts'), ('increment', 'increment: submissions add up')], default='best', max_length=10, verbose_name='update')),
                    ('ties', models.CharField(choices=[('first_come', 'whoever was first is ahead'), ('last_come', 'whoever was last is ahead'), ('shared', 'shared rank: 1 1 3'), ('dense', 'shared rank without gaps: 1 1 2')], default='first_come', max_length=10, verbose_name='ties')),
                    ('tie_break', models.CharField(choices=[('auto', 'milliseconds, in the score if they fit, else in the member'), ('score', 'in the score: milliseconds or seconds, the finest that fits'), ('member', 'in the member')], default='auto', max_length=6, verbose_name='tie break')),
                    ('criteria', models.JSONField(blank=True, default=list, verbose_name='criteria')),
                    ('decimals', models.PositiveSmallIntegerField(default=0, validators=[django.core.validators.MaxValueValidator(6)], verbose_name='decimals')),
                    ('minimum', models.DecimalField(decimal_places=6, default=0, max_digits=22, verbose_name='minimum')),
                    ('maximum', models.DecimalField(decimal_places=6, default=2147483647, max_digits=22, verbose_name='maximum')),
                    ('total_maximum', models.DecimalField(decimal_places=6, default=2147483647, max_digits=22, verbose_name='total maximum')),
                    ('grace_seconds', models.PositiveIntegerField(default=60, validators=[django.core.validators.MaxValueValidator(86400)], verbose_name='grace seconds')),
                    ('retention_days', models.PositiveIntegerField(default=30, validators=[django.core.validators.MaxValueValidator(36525)], verbose_name='retention days')),
                    ('keep_submissions_days', models.PositiveIntegerField(default=90, validators=[django.core.validators.MinValueValidator(2), django.core.validators.MaxValueValidator(36525)], verbose_name='keep submissions, days')),
                    ('storage', models.CharField(choices=[('hybrid', 'hybrid: SQL decides, Redis shows'), ('redis', 'redis: Redis decides, SQL follows within a second'), ('sql', 'sql: SQL alone')], default='hybrid', max_length=6, verbose_name='storage')),
                    ('unit', models.CharField(choices=[('points', 'points'), ('seconds', 'seconds, shown as m:ss'), ('milliseconds', 'milliseconds, shown as m:ss.mmm'), ('metres', 'metres'), ('kilometres', 'kilometres')], default='points', max_length=20, verbose_name='unit')),
                    ('format', models.CharField(blank=True, help_text='A suffix such as kcal, shown behind the number.', max_length=40, verbose_name='format')),
                    ('visibility', models.CharField(choices=[('public', 'public'), ('private', 'private')], default='public', max_length=7, verbose_name='visibility')),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('retired_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='retired')),
                    ('field_jump', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='jump against the field, times')),
                    ('field_jump_players', models.PositiveSmallIntegerField(default=10, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='jump against the field, players')),
                    ('own_jump', models.DecimalField(blank=True, decimal_places=2, max_digits=8, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='jump against their own, times')),
                    ('own_jump_against', models.CharField(choices=[('best', 'the best of them'), ('median', 'their median')], default='best', max_length=6, verbose_name='jump against their own, held against')),
                    ('own_jump_last', models.PositiveSmallIntegerField(default=5, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(100)], verbose_name='jump against their own, submissions')),
                    ('plausible_least', models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, verbose_name='plausible points, least')),
                    ('plausible_most', models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, verbose_name='plausible points, most')),
                    ('points_per_minute', models.DecimalField(blank=True, decimal_places=6, max_digits=22, null=True, validators=[django.core.validators.MinValueValidator(0)], verbose_name='points per minute')),
                    ('quarantined_at', models.DateTimeField(editable=False, null=True)),
                    ('submissions_per_minute', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1000)], verbose_name='submissions per minute')),
                ],
                options={
                    'verbose_name': 'board',
                    'verbose_name_plural': 'boards',
                    'ordering': ('seq',),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('retired_at', None)), fields=('name',), name='board_name_unique_while_in_use')],
                },
            ),
            migrations.CreateModel(
                name='Period',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('label', models.CharField(max_length=24, verbose_name='label')),
                    ('starts_at', models.DateTimeField(null=True, verbose_name='starts')),
                    ('ends_at', models.DateTimeField(null=True, verbose_name='ends')),
                    ('rules_json', models.JSONField(verbose_name='rules')),
                    ('state', models.CharField(choices=[('open', 'open'), ('closing', 'closing'), ('final', 'final'), ('expired', 'expired')], default='open', max_length=7, verbose_name='state')),
                    ('generation', models.BigIntegerField(default=0)),
                    ('stale_since', models.DateTimeField(null=True)),
                    ('whole', models.BooleanField(default=False)),
                    ('settling_until', models.DateTimeField(null=True)),
                    ('created_at', models.DateTimeField(auto_now_add=True)),
                    ('closed_at', models.DateTimeField(null=True)),
                    ('verified_at', models.DateTimeField(null=True)),
                    ('verify_place', models.CharField(blank=True, max_length=40)),
                    ('players', models.BigIntegerField(default=0)),
                    ('content_hash', models.CharField(blank=True, max_length=64)),
                    ('board', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='periods', to='leaderboards.board', verbose_name='board')),
                    ('rebuilt', models.BigIntegerField(default=0)),
                    ('emptied_at', models.BigIntegerField(default=0)),
                ],
                options={
                    'verbose_name': 'period',
                    'verbose_name_plural': 'periods',
                    'ordering': ('board', '-starts_at'),
                    'indexes': [models.Index(condition=models.Q(('stale_since__isnull', False)), fields=['stale_since'], name='period_stale'), models.Index(fields=['state', 'ends_at'], name='period_state_end')],
                    'constraints': [models.UniqueConstraint(fields=('board', 'label'), name='period_unique')],
                },
            ),
            migrations.CreateModel(
                name='Difference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('player', models.CharField(max_length=64, verbose_name='player')),
                    ('in_sql', models.FloatField(null=True, verbose_name='score in SQL')),
                    ('in_redis', models.FloatField(null=True, verbose_name='score in Redis')),
                    ('repaired', models.BooleanField(verbose_name='repaired')),
                    ('found_at', models.DateTimeField(verbose_name='found')),
                    ('period', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='differences', to='leaderboards.period', verbose_name='period')),
                ],
                options={
                    'verbose_name': 'difference',
                    'verbose_name_plural': 'differences',
                    'ordering': ('-found_at', '-pk'),
                    'indexes': [models.Index(condition=models.Q(('repaired', False)), fields=['period'], name='difference_unrepaired')],
                },
            ),
            migrations.CreateModel(
                name='Player',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('external_id', leaderboards.fields.ByteOrderedCharField(max_length=64, unique=True, verbose_name='player')),
                    ('name', models.CharField(blank=True, max_length=100, verbose_name='name')),
                    ('avatar_url', models.URLField(blank=True, verbose_name='avatar')),
                    ('country', models.CharField(blank=True, max_length=2, verbose_name='country')),
                    ('banned_at', models.DateTimeField(blank=True, null=True, verbose_name='banned')),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('user', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='player', to=settings.AUTH_USER_MODEL, verbose_name='user')),
                    ('erasing_since', models.DateTimeField(editable=False, null=True)),
                ],
                options={
                    'verbose_name': 'player',
                    'verbose_name_plural': 'players',
                    'indexes': [models.Index(django.db.models.functions.text.Upper('name'), condition=models.Q(('name', ''), _negated=True), name='player_name'), models.Index(models.F('external_id'), condition=models.Q(('banned_at__isnull', False)), name='player_banned')],
                    'permissions': [('erase_player', 'Can erase player for good')],
                },
            ),
            migrations.CreateModel(
                name='LinkCode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code_hash', models.CharField(max_length=64, unique=True)),
                    ('expires_at', models.DateTimeField()),
                    ('used_at', models.DateTimeField(null=True)),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='link_codes', to='leaderboards.player')),
                ],
            ),
            migrations.CreateModel(
                name='FinalStanding',
                fields=[
                    ('pk', models.CompositePrimaryKey('period_id', 'place', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('place', models.BigIntegerField()),
                    ('rank', models.BigIntegerField()),
                    ('member', leaderboards.fields.ByteOrderedCharField(max_length=512)),
                    ('score', models.FloatField()),
                    ('period', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='final_standings', to='leaderboards.period')),
                    ('player', models.ForeignKey(db_constraint=False, db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='final_standings', to='leaderboards.player')),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('rank__lt', models.F('place'))), fields=['period', 'rank'], name='final_standing_equals')],
                    'constraints': [models.UniqueConstraint(fields=('period', 'player'), name='final_standing_unique')],
                },
            ),
            migrations.CreateModel(
                name='Standing',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('member', leaderboards.fields.ByteOrderedCharField(max_length=512)),
                    ('points', models.BigIntegerField(null=True)),
                    ('fields', models.JSONField(null=True)),
                    ('at', models.DateTimeField(null=True, verbose_name='at')),
                    ('score', models.FloatField(null=True, verbose_name='score')),
                    ('version', models.BigIntegerField(default=0, verbose_name='version')),
                    ('unput', models.BooleanField(default=False)),
                    ('period', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='leaderboards.period', verbose_name='period')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='standings', to='leaderboards.player', verbose_name='player')),
                ],
                options={
                    'indexes': [models.Index(fields=['period', 'score', 'member'], name='standing_ranked'), models.Index(fields=['period', 'member'], name='standing_member'), models.Index(condition=models.Q(('unput', True)), fields=['period', 'player'], name='standing_unput')],
                    'constraints': [models.UniqueConstraint(fields=('period', 'player'), name='standing_unique')],
                    'verbose_name': 'standing',
                    'verbose_name_plural': 'standings',
                },
            ),
            migrations.CreateModel(
                name='Submission',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('competition', models.BigIntegerField(default=0)),
                    ('points', models.BigIntegerField(null=True)),
                    ('fields', models.JSONField(null=True)),
                    ('at', models.DateTimeField(verbose_name='at')),
                    ('sent_at', models.DateTimeField(null=True, verbose_name='sent at')),
                    ('service', models.CharField(max_length=100, verbose_name='service')),
                    ('external_id', models.CharField(max_length=128, null=True, verbose_name='external id')),
                    ('created_at', models.DateTimeField(verbose_name='created at')),
                    ('voided_at', models.DateTimeField(null=True, verbose_name='voided at')),
                    ('board', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='leaderboards.board', verbose_name='board')),
                    ('period', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='leaderboards.period', verbose_name='period')),
                    ('player', models.ForeignKey(db_constraint=False, on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='leaderboards.player', verbose_name='player')),
                ],
                options={
                    'verbose_name': 'submission',
                    'verbose_name_plural': 'submissions',
                    'indexes': [models.Index(fields=['period', 'player'], name='submission_of_player'), models.Index(condition=models.Q(('voided_at__isnull', False)), fields=['id'], name='submission_void')],
                    'constraints': [models.UniqueConstraint(condition=models.Q(('external_id__isnull', False)), fields=('service', 'board', 'competition', 'external_id'), name='submission_id_unique')],
                },
            ),
            migrations.CreateModel(
                name='PeriodSnapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('due_at', models.DateTimeField()),
                    ('taken_at', models.DateTimeField()),
                    ('total', models.BigIntegerField()),
                    ('is_whole', models.BooleanField()),
                    ('period', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='leaderboards.period')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('period', 'due_at'), name='period_snapshot_unique')],
                },
            ),
            migrations.CreateModel(
                name='KeptRank',
                fields=[
                    ('pk', models.CompositePrimaryKey('snapshot_id', 'player_id', blank=True, editable=False, primary_key=True, serialize=False)),
                    ('rank', models.BigIntegerField()),
                    ('points', models.BigIntegerField(null=True)),
                    ('fields', models.JSONField(null=True)),
                    ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='ranks', to='leaderboards.periodsnapshot')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='kept_ranks', to='leaderboards.player')),
                ],
            ),
            *_moderation.TABLES,
        ]),
    ]

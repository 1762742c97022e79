"""The tables of competitions, each made whole: an empty database takes this one, not the 15 steps that led here.

Those of who won, results, messages, series and leagues stand in ``_results``, and what groups may do in ``_groups``, to
keep each file short.
"""

import competitions.models.competitions
import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from competitions.migrations import _results
from competitions.migrations._groups import make_groups
from foundation.tables import MakeTables


class Migration(migrations.Migration):

    replaces = [
        ('competitions', '0001_initial'),
        ('competitions', '0002_snapshots_to_compare'),
        ('competitions', '0003_comments'),
        ('competitions', '0004_preference_language'),
        ('competitions', '0005_names'),
        ('competitions', '0006_reinstated'),
        ('competitions', '0007_results'),
        ('competitions', '0008_participant_disqualified'),
        ('competitions', '0009_reward_runs'),
        ('competitions', '0010_series'),
        ('competitions', '0011_teams'),
        ('competitions', '0012_leagues'),
        ('competitions', '0013_take_back'),
        ('competitions', '0014_scores_restored'),
        ('competitions', '0015_team_codes'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
        ('foundation', '0001_squashed_0010_where_from'),
        ('leaderboards', '0001_squashed_0023_restriction_of_one_period'),
        ('likes', '0001_squashed_0004_likes_of_a_day'),
    ]

    operations = [
        MakeTables([
            migrations.CreateModel(
                name='Competition',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100, verbose_name='name')),
                    ('description', models.TextField(blank=True, max_length=4000, verbose_name='description')),
                    ('picture', models.BinaryField(editable=True, null=True)),
                    ('picture_hash', models.CharField(blank=True, editable=False, max_length=24)),
                    ('starts_at', models.DateTimeField(verbose_name='starts')),
                    ('ends_at', models.DateTimeField(verbose_name='ends')),
                    ('timezone', models.CharField(default='UTC', max_length=64, verbose_name='time zone')),
                    ('joining', models.CharField(choices=[('everyone', 'everyone'), ('code', 'whoever has the code'), ('list', 'players on the list')], default='everyone', max_length=8, verbose_name='who may join')),
                    ('join_code', models.CharField(blank=True, max_length=40, verbose_name='join code')),
                    ('join_until', models.DateTimeField(blank=True, null=True, verbose_name='joining until')),
                    ('most_participants', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='at most, participants')),
                    ('attempts', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='attempts per player')),
                    ('snapshot_minutes', models.PositiveIntegerField(default=30, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(1440)], verbose_name='snapshot every, minutes')),
                    ('alert_hours', models.PositiveIntegerField(default=24, validators=[django.core.validators.MaxValueValidator(1440)], verbose_name='alerts in the last hours')),
                    ('alerts', models.JSONField(blank=True, default=competitions.models.competitions.default_alerts, verbose_name='alerts')),
                    ('freeze_minutes', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='freeze before the end, minutes')),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('published_at', models.DateTimeField(editable=False, null=True, verbose_name='published')),
                    ('frozen_at', models.DateTimeField(editable=False, null=True, verbose_name='frozen')),
                    ('revealed_at', models.DateTimeField(editable=False, null=True, verbose_name='revealed')),
                    ('final_at', models.DateTimeField(editable=False, null=True, verbose_name='final')),
                    ('cancelled_at', models.DateTimeField(editable=False, null=True, verbose_name='cancelled')),
                    ('board', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='competitions', to='leaderboards.board', verbose_name='board')),
                    ('closed_at', models.DateTimeField(editable=False, null=True, verbose_name='closed')),
                    ('review_hours', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(1440)], verbose_name='review of the result, hours')),
                    ('vacated_places', models.CharField(choices=[('close_up', 'everybody below moves up'), ('stay_empty', 'they stay empty')], default='close_up', max_length=10, verbose_name='places of the disqualified')),
                    ('team_counts', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='best members that count')),
                    ('team_founding', models.BooleanField(default=False, verbose_name='players found teams')),
                    ('team_score', models.CharField(blank=True, choices=[('sum', "the sum of its members' points"), ('best', "its best member's place"), ('average', "the average of its members' points")], default='', max_length=7, verbose_name='teams rank by')),
                    ('team_size', models.PositiveIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1)], verbose_name='at most, members of a team')),
                    ('team_entry', models.CharField(choices=[('open', 'everybody'), ('code', "whoever has the team's code")], default='open', max_length=4, verbose_name='who may enter a founded team')),
                ],
                options={
                    'verbose_name': 'competition',
                    'verbose_name_plural': 'competitions',
                    'ordering': ('-starts_at', '-pk'),
                    'indexes': [models.Index(fields=['final_at', 'ends_at'], name='competition_ends')],
                    'constraints': [models.CheckConstraint(condition=models.Q(('starts_at__lt', models.F('ends_at'))), name='competition_ends_after_start')],
                },
            ),
            migrations.CreateModel(
                name='Change',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('published', 'published'), ('extended', 'end moved'), ('cancelled', 'cancelled'), ('removed', 'participant removed'), ('disqualified', 'participant disqualified'), ('reinstated', 'participant reinstated'), ('brought_back', 'participant brought back'), ('moved', 'participant moved to another team or division'), ('revealed', 'revealed'), ('confirmed', 'result confirmed'), ('voided', 'score voided'), ('restored', 'score restored'), ('accepted', 'late score accepted'), ('hidden', 'comment hidden'), ('shown', 'comment shown again'), ('taken_back', 'reward taken back'), ('given_back', 'reward given back')], max_length=12, verbose_name='what')),
                    ('at', models.DateTimeField(verbose_name='when')),
                    ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                    ('details', models.JSONField(default=dict, verbose_name='details')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='competitions.competition')),
                ],
                options={
                    'verbose_name': 'change',
                    'verbose_name_plural': 'changes',
                    'ordering': ('-at', '-pk'),
                },
            ),
            migrations.CreateModel(
                name='Division',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=60, verbose_name='name')),
                    ('key', models.CharField(editable=False, max_length=24)),
                    ('position', models.PositiveIntegerField(default=0, verbose_name='position')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='divisions', to='competitions.competition', verbose_name='competition')),
                ],
                options={
                    'verbose_name': 'division',
                    'verbose_name_plural': 'divisions',
                    'ordering': ('position', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('competition', 'key'), name='division_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='Team',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=60, verbose_name='name')),
                    ('key', models.CharField(editable=False, max_length=24)),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='teams', to='competitions.competition', verbose_name='competition')),
                    ('founder', models.ForeignKey(editable=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='founded_teams', to='leaderboards.player', verbose_name='founded by')),
                    ('code', models.CharField(blank=True, editable=False, max_length=8, verbose_name='code')),
                ],
                options={
                    'verbose_name': 'team',
                    'verbose_name_plural': 'teams',
                    'ordering': ('name', 'pk'),
                    'constraints': [models.UniqueConstraint(fields=('competition', 'key'), name='team_name_unique')],
                },
            ),
            migrations.CreateModel(
                name='Participant',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('joined_at', models.DateTimeField(verbose_name='joined')),
                    ('left_at', models.DateTimeField(blank=True, null=True, verbose_name='left')),
                    ('disqualified_at', models.DateTimeField(blank=True, null=True, verbose_name='disqualified')),
                    ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='competitions.competition', verbose_name='competition')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='leaderboards.player', verbose_name='player')),
                    ('division', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='competitions.division', verbose_name='division')),
                    ('team', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='competitions.team', verbose_name='team')),
                ],
                options={
                    'verbose_name': 'participant',
                    'verbose_name_plural': 'participants',
                    'ordering': ('joined_at', 'pk'),
                    'indexes': [models.Index(condition=models.Q(('disqualified_at', None), ('left_at', None)), fields=['competition', 'joined_at'], name='participant_taking_part'), models.Index(condition=models.Q(('disqualified_at__isnull', False)), fields=['competition', 'player'], name='participant_disqualified')],
                    'constraints': [models.UniqueConstraint(fields=('competition', 'player'), name='participant_unique')],
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('external_id', models.CharField(max_length=64, verbose_name='player')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='invitations', to='competitions.competition')),
                ],
                options={
                    'verbose_name': 'invitation',
                    'verbose_name_plural': 'invitations',
                    'constraints': [models.UniqueConstraint(fields=('competition', 'external_id'), name='invitation_unique')],
                },
            ),
            migrations.CreateModel(
                name='Preference',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('muted', models.JSONField(blank=True, default=list, verbose_name='muted kinds')),
                    ('by_mail', models.BooleanField(default=True, verbose_name='by e-mail')),
                    ('timezone', models.CharField(blank=True, max_length=64, verbose_name='time zone')),
                    ('quiet_from', models.PositiveSmallIntegerField(default=23, validators=[django.core.validators.MaxValueValidator(23)], verbose_name='quiet from')),
                    ('quiet_until', models.PositiveSmallIntegerField(default=8, validators=[django.core.validators.MaxValueValidator(23)], verbose_name='quiet until')),
                    ('player', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='preference', to='leaderboards.player')),
                    ('language', models.CharField(blank=True, default='', max_length=10, verbose_name='language')),
                ],
                options={
                    'verbose_name': 'preference',
                    'verbose_name_plural': 'preferences',
                },
            ),
            migrations.CreateModel(
                name='Snapshot',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('due_at', models.DateTimeField(verbose_name='due')),
                    ('taken_at', models.DateTimeField(verbose_name='taken')),
                    ('total', models.BigIntegerField(verbose_name='players')),
                    ('compared_at', models.DateTimeField(null=True, verbose_name='compared at')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshots', to='competitions.competition', verbose_name='competition')),
                ],
                options={
                    'verbose_name': 'snapshot',
                    'verbose_name_plural': 'snapshots',
                    'ordering': ('competition', 'due_at'),
                    'indexes': [models.Index(condition=models.Q(('compared_at', None)), fields=['due_at'], name='snapshot_to_compare')],
                    'constraints': [models.UniqueConstraint(fields=('competition', 'due_at'), name='snapshot_unique')],
                },
            ),
            migrations.CreateModel(
                name='SnapshotRow',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('rank', models.BigIntegerField()),
                    ('points', models.BigIntegerField(null=True)),
                    ('fields', models.JSONField(null=True)),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='snapshot_rows', to='leaderboards.player')),
                    ('snapshot', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='rows', to='competitions.snapshot')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('snapshot', 'player'), name='snapshot_row_unique')],
                },
            ),
            migrations.CreateModel(
                name='Comment',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('text', models.TextField(blank=True, max_length=2000, verbose_name='text')),
                    ('form', models.CharField(max_length=24)),
                    ('like_count', models.BigIntegerField(default=0, verbose_name='likes')),
                    ('created_at', models.DateTimeField(verbose_name='written')),
                    ('edited_at', models.DateTimeField(null=True, verbose_name='edited')),
                    ('hidden_at', models.DateTimeField(null=True, verbose_name='hidden')),
                    ('hidden_reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                    ('deleted_at', models.DateTimeField(null=True, verbose_name='deleted')),
                    ('competition', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='comments', to='competitions.competition', verbose_name='competition')),
                    ('hidden_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='hidden by')),
                    ('player', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='comments', to='leaderboards.player', verbose_name='player')),
                ],
                options={
                    'verbose_name': 'comment',
                    'verbose_name_plural': 'comments',
                    'ordering': ('-pk',),
                    'indexes': [models.Index(fields=['competition', '-id'], name='comment_newest'), models.Index(fields=['competition', '-like_count', '-id'], name='comment_most_liked')],
                    'constraints': [models.UniqueConstraint(fields=('player', 'form'), name='comment_posted_once'), models.CheckConstraint(condition=models.Q(models.Q(('deleted_at', None), models.Q(('text', ''), _negated=True)), models.Q(('deleted_at__isnull', False), ('text', '')), _connector='OR'), name='comment_text_unless_deleted'), models.CheckConstraint(condition=models.Q(('hidden_at__isnull', False), models.Q(('hidden_by', None), ('hidden_reason', '')), _connector='OR'), name='comment_reason_only_if_hidden'), models.CheckConstraint(condition=models.Q(('like_count__gte', 0)), name='comment_likes_not_negative')],
                },
            ),
            migrations.CreateModel(
                name='RewardTier',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=100, verbose_name='reward')),
                    ('code', models.CharField(blank=True, max_length=100, verbose_name='code for the game')),
                    ('kind', models.CharField(choices=[('rank', 'rank: everyone from rank … to rank …'), ('percent', 'percent: the best share of the field, and all tied with the last of it'), ('points', 'points: everyone who has reached so many')], default='rank', max_length=7, verbose_name='by')),
                    ('from_rank', models.PositiveIntegerField(default=1, verbose_name='from rank')),
                    ('limit', models.DecimalField(decimal_places=6, max_digits=22, verbose_name='up to')),
                    ('board', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reward_tiers', to='leaderboards.board', verbose_name='board')),
                    ('competition', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reward_tiers', to='competitions.competition', verbose_name='competition')),
                ],
                options={
                    'verbose_name': 'reward tier',
                    'verbose_name_plural': 'reward tiers',
                    'ordering': ('pk',),
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('board', None), ('competition__isnull', False)), models.Q(('board__isnull', False), ('competition', None)), _connector='OR'), name='reward_tier_of_one')],
                },
            ),
            migrations.CreateModel(
                name='RewardRun',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('granted_at', models.DateTimeField()),
                    ('grants', models.PositiveIntegerField(default=0)),
                    ('period', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reward_run', to='leaderboards.period')),
                    ('competition', models.OneToOneField(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reward_run', to='competitions.competition')),
                    ('revision', models.PositiveIntegerField(null=True)),
                    ('tiers', models.JSONField(default=list)),
                    ('steps', models.PositiveIntegerField(default=0)),
                    ('unsettled_at', models.DateTimeField(null=True)),
                ],
                options={
                    'indexes': [models.Index(condition=models.Q(('unsettled_at__isnull', False)), fields=['id'], name='reward_run_unsettled')],
                },
            ),
            *_results.TABLES,
        ]),
        # Backwards nothing is taken away: somebody may be in a group by now.
        migrations.RunPython(make_groups, migrations.RunPython.noop),
    ]

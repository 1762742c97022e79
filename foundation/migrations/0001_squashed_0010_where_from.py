"""Foundation's tables, each made whole: an empty database takes this one, not the ten steps that led here."""

import datetime
import django.core.serializers.json
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from foundation.tables import MakeTables


class Migration(migrations.Migration):

    replaces = [
        ('foundation', '0001_initial'),
        ('foundation', '0002_webhooks'),
        ('foundation', '0003_key_limits'),
        ('foundation', '0004_worker_clock'),
        ('foundation', '0005_identity_of_a_redis'),
        ('foundation', '0006_numbers_of_generations'),
        ('foundation', '0007_signatures'),
        ('foundation', '0008_sealed_secrets'),
        ('foundation', '0009_audit'),
        ('foundation', '0010_where_from'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        MakeTables([
            migrations.CreateModel(
                name='Heartbeat',
                fields=[
                    ('name', models.CharField(max_length=50, primary_key=True, serialize=False)),
                    ('beat_at', models.DateTimeField()),
                    ('clock_offset', models.DurationField(default=datetime.timedelta)),
                ],
            ),
            migrations.CreateModel(
                name='KnownRedis',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('known_since', models.DateTimeField(auto_now_add=True)),
                    ('identity', models.CharField(max_length=100, unique=True)),
                ],
                options={
                    'verbose_name': 'known Redis',
                    'verbose_name_plural': 'known Redis',
                },
            ),
            migrations.CreateModel(
                name='ServiceKey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(help_text='The service that holds it; two keys may share it.', max_length=100, verbose_name='name')),
                    ('prefix', models.CharField(editable=False, max_length=16, unique=True, verbose_name='prefix')),
                    ('secret_hash', models.CharField(editable=False, max_length=64)),
                    ('scopes', models.JSONField(default=list, verbose_name='scopes')),
                    ('boards', models.JSONField(blank=True, help_text='Numbers of boards; empty means all.', null=True, verbose_name='boards')),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('expires_at', models.DateTimeField(blank=True, null=True, verbose_name='expires')),
                    ('revoked_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='revoked')),
                    ('last_used_at', models.DateTimeField(blank=True, editable=False, null=True, verbose_name='last used')),
                    ('requests', models.PositiveIntegerField(blank=True, null=True, verbose_name='requests')),
                    ('seconds', models.PositiveIntegerField(blank=True, null=True, verbose_name='seconds')),
                    ('addresses', models.JSONField(blank=True, null=True, verbose_name='addresses')),
                    ('signing_secret', models.TextField(blank=True, editable=False)),
                    ('previous_signing_secret', models.TextField(blank=True, editable=False)),
                    ('previous_signing_until', models.DateTimeField(editable=False, null=True, verbose_name='previous secret signs until')),
                ],
                options={
                    'verbose_name': 'service key',
                    'verbose_name_plural': 'service keys',
                    'ordering': ('name', '-created_at'),
                    'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('requests__isnull', True), ('seconds__isnull', True)), models.Q(('requests__isnull', False), ('requests__range', (1, 100000)), ('seconds__isnull', False), ('seconds__range', (1, 86400))), _connector='OR'), name='service_key_limit')],
                },
            ),
            migrations.CreateModel(
                name='DeadLetter',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=50, verbose_name='kind')),
                    ('subject', models.CharField(max_length=200, verbose_name='about')),
                    ('payload', models.JSONField(default=dict, verbose_name='payload')),
                    ('reason', models.TextField(verbose_name='reason')),
                    ('tries', models.PositiveIntegerField(default=1, verbose_name='tries')),
                    ('created_at', models.DateTimeField(verbose_name='created')),
                    ('failed_at', models.DateTimeField(verbose_name='last failed')),
                    ('resolved_at', models.DateTimeField(null=True, verbose_name='resolved')),
                    ('resolution', models.CharField(blank=True, max_length=20, verbose_name='resolution')),
                ],
                options={
                    'verbose_name': 'dead letter',
                    'verbose_name_plural': 'dead letters',
                    'ordering': ('-failed_at',),
                    'constraints': [models.UniqueConstraint(condition=models.Q(('resolved_at', None)), fields=('kind', 'subject'), name='dead_letter_unique')],
                },
            ),
            migrations.CreateModel(
                name='WebhookEndpoint',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(help_text='The system that listens there.', max_length=100, unique=True, verbose_name='name')),
                    ('url', models.CharField(max_length=500, verbose_name='address')),
                    ('kinds', models.JSONField(blank=True, default=list, verbose_name='kinds')),
                    ('secret', models.TextField(editable=False)),
                    ('previous_secret', models.TextField(blank=True, editable=False)),
                    ('previous_until', models.DateTimeField(editable=False, null=True, verbose_name='signed with the previous secret too until')),
                    ('created_at', models.DateTimeField(auto_now_add=True, verbose_name='created')),
                    ('disabled_at', models.DateTimeField(editable=False, null=True, verbose_name='disabled')),
                    ('disabled_reason', models.CharField(blank=True, editable=False, max_length=200, verbose_name='why')),
                    ('busy_until', models.DateTimeField(editable=False, null=True)),
                    ('rests_until', models.DateTimeField(editable=False, null=True)),
                ],
                options={
                    'verbose_name': 'webhook endpoint',
                    'verbose_name_plural': 'webhook endpoints',
                    'ordering': ('name',),
                },
            ),
            migrations.CreateModel(
                name='WebhookDelivery',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('message_id', models.CharField(max_length=100, verbose_name='message')),
                    ('kind', models.CharField(max_length=50, verbose_name='kind')),
                    ('body', models.TextField(verbose_name='body')),
                    ('created_at', models.DateTimeField(verbose_name='created')),
                    ('tries', models.PositiveSmallIntegerField(default=0, verbose_name='tries')),
                    ('last_try_at', models.DateTimeField(null=True, verbose_name='last try')),
                    ('last_status', models.PositiveSmallIntegerField(null=True, verbose_name='last status')),
                    ('last_answer', models.TextField(blank=True, verbose_name='last answer')),
                    ('next_try_at', models.DateTimeField(null=True, verbose_name='next try')),
                    ('delivered_at', models.DateTimeField(null=True, verbose_name='delivered')),
                    ('dead_at', models.DateTimeField(null=True, verbose_name='dead')),
                    ('dropped_at', models.DateTimeField(null=True, verbose_name='dropped')),
                    ('endpoint', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='foundation.webhookendpoint', verbose_name='endpoint')),
                ],
                options={
                    'verbose_name': 'webhook delivery',
                    'verbose_name_plural': 'webhook deliveries',
                    'ordering': ('-pk',),
                    'indexes': [models.Index(condition=models.Q(('next_try_at__isnull', False)), fields=['endpoint', 'next_try_at'], name='webhook_due'), models.Index(fields=['dead_at', '-id'], name='webhook_dead'), models.Index(condition=models.Q(('delivered_at__isnull', False)), fields=['delivered_at'], name='webhook_delivered'), models.Index(condition=models.Q(('dropped_at__isnull', False)), fields=['dropped_at'], name='webhook_dropped')],
                    'constraints': [models.UniqueConstraint(fields=('endpoint', 'message_id'), name='webhook_message_unique'), models.CheckConstraint(condition=models.Q(models.Q(('dead_at__isnull', True), ('delivered_at__isnull', True), ('dropped_at__isnull', True), ('next_try_at__isnull', False)), models.Q(('dead_at__isnull', True), ('delivered_at__isnull', False), ('dropped_at__isnull', True), ('next_try_at__isnull', True)), models.Q(('dead_at__isnull', False), ('delivered_at__isnull', True), ('dropped_at__isnull', True), ('next_try_at__isnull', True)), models.Q(('dead_at__isnull', True), ('delivered_at__isnull', True), ('dropped_at__isnull', False), ('next_try_at__isnull', True)), _connector='OR'), name='webhook_in_one_state')],
                },
            ),
            migrations.CreateModel(
                name='DrawnGeneration',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('drawn_at', models.DateTimeField(auto_now_add=True)),
                ],
                options={
                    'db_table': 'leaderboards_drawngeneration',
                },
            ),
            migrations.CreateModel(
                name='UsedNonce',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('nonce', models.CharField(max_length=64)),
                    ('expires_at', models.DateTimeField(db_index=True)),
                    ('key', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to='foundation.servicekey')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('key', 'nonce'), name='nonce_used_once')],
                },
            ),
            migrations.CreateModel(
                name='AuditEntry',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('at', models.DateTimeField(db_index=True, verbose_name='when')),
                    ('act', models.CharField(max_length=60, verbose_name='what')),
                    ('by_name', models.CharField(blank=True, max_length=150, verbose_name='by')),
                    ('key_name', models.CharField(blank=True, max_length=150, verbose_name='service key')),
                    ('reason', models.TextField(blank=True, verbose_name='reason')),
                    ('before', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='before')),
                    ('after', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='after')),
                    ('note', models.JSONField(default=dict, encoder=django.core.serializers.json.DjangoJSONEncoder, verbose_name='details')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                    ('undoes', models.OneToOneField(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='undone_by', to='foundation.auditentry', verbose_name='undoes')),
                    ('address', models.CharField(blank=True, max_length=50, verbose_name='address')),
                ],
                options={
                    'verbose_name': 'audit entry',
                    'verbose_name_plural': 'audit log',
                    'ordering': ('-at', '-pk'),
                    'indexes': [models.Index(fields=['act', 'at'], name='audit_entry_act'), models.Index(condition=models.Q(('address', ''), _negated=True), fields=['address', 'at'], name='audit_entry_address')],
                },
            ),
            migrations.CreateModel(
                name='AuditSubject',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(max_length=60)),
                    ('key', models.CharField(max_length=100)),
                    ('entry', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='subjects', to='foundation.auditentry')),
                ],
                options={
                    'constraints': [models.UniqueConstraint(fields=('kind', 'key', 'entry'), name='audit_subject_once')],
                },
            ),
        ]),
    ]

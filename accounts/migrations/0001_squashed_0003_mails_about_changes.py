"""Accounts' tables, each made whole: an empty database takes this one, not the three steps that led here.

Whoever is in the group ``admin`` makes invitations, as it makes accounts without rights. The group comes with
competitions, which a project may lack or add later: which of the two migrates last gives the group its rights
(competitions/migrations/_groups.py).
"""

from typing import Any

import django.db.models.deletion
import django.db.models.functions.text
from django.apps import apps as installed
from django.conf import settings
from django.contrib.auth.management import create_permissions
from django.db import migrations, models
from foundation.tables import MakeTables


ACTS = ("view", "add", "change")


def let_invite(apps: Any, schema_editor: Any) -> None:
    """Django makes permissions once all has migrated: here the same code makes those of accounts now."""
    create_permissions(installed.get_app_config("accounts"), apps=apps, verbosity=0)
    wanted = apps.get_model("auth", "Permission").objects.filter(codename__in=[f"{act}_invitation" for act in ACTS])
    for group in apps.get_model("auth", "Group").objects.filter(name="admin"):
        group.permissions.add(*wanted.filter(content_type__app_label="accounts"))


class Migration(migrations.Migration):

    replaces = [
        ('accounts', '0001_initial'),
        ('accounts', '0002_who_invites'),
        ('accounts', '0003_mails_about_changes'),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ('auth', '0012_alter_user_first_name_max_length'),
        ('contenttypes', '0002_remove_content_type_name'),
    ]

    operations = [
        MakeTables([
            migrations.CreateModel(
                name='AuthenticatorApp',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('secret', models.TextField(editable=False)),
                    ('last_step', models.BigIntegerField(default=0, editable=False)),
                    ('created_at', models.DateTimeField(verbose_name='made at')),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='authenticator_app', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'authenticator app',
                    'verbose_name_plural': 'authenticator apps',
                },
            ),
            migrations.CreateModel(
                name='Invitation',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('email', models.EmailField(blank=True, max_length=254, verbose_name='e-mail address')),
                    ('note', models.CharField(blank=True, max_length=200, verbose_name='note')),
                    ('created_at', models.DateTimeField(verbose_name='made at')),
                    ('expires_at', models.DateTimeField(verbose_name='expires at')),
                    ('revoked_at', models.DateTimeField(null=True, verbose_name='revoked at')),
                    ('used_at', models.DateTimeField(null=True, verbose_name='used at')),
                    ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                    ('used_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='used by')),
                ],
                options={
                    'verbose_name': 'invitation',
                    'verbose_name_plural': 'invitations',
                },
            ),
            migrations.CreateModel(
                name='AccountMail',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('kind', models.CharField(choices=[('reset', 'a new password'), ('sign_up', 'a new account'), ('email', 'a new address'), ('invitation', 'an invitation'), ('password', 'a changed password'), ('address', 'a changed address'), ('factor_added', 'a new second factor'), ('factor_gone', 'a second factor taken away'), ('codes_made', 'new recovery codes'), ('code_used', 'a used recovery code'), ('code_reused', 'a code that was sent twice')], max_length=12)),
                    ('to', models.EmailField(max_length=254)),
                    ('language', models.CharField(max_length=10)),
                    ('created_at', models.DateTimeField()),
                    ('next_try_at', models.DateTimeField(db_index=True)),
                    ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                    ('invitation', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.invitation')),
                ],
                options={
                    'verbose_name': 'mail about an account',
                    'verbose_name_plural': 'mails about accounts',
                },
            ),
            migrations.CreateModel(
                name='Passkey',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('name', models.CharField(max_length=60, verbose_name='name')),
                    ('credential_id', models.CharField(editable=False, max_length=1400, unique=True)),
                    ('credential', models.TextField(editable=False)),
                    ('sign_count', models.BigIntegerField(default=0, editable=False)),
                    ('created_at', models.DateTimeField(verbose_name='made at')),
                    ('last_used_at', models.DateTimeField(null=True, verbose_name='last used at')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='passkeys', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'passkey',
                    'verbose_name_plural': 'passkeys',
                },
            ),
            migrations.CreateModel(
                name='RecoveryCode',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('code_hash', models.CharField(editable=False, max_length=64, unique=True)),
                    ('used_at', models.DateTimeField(null=True, verbose_name='used at')),
                    ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recovery_codes', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'recovery code',
                    'verbose_name_plural': 'recovery codes',
                },
            ),
            migrations.CreateModel(
                name='ProvenEmail',
                fields=[
                    ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                    ('email', models.EmailField(max_length=254, verbose_name='e-mail address')),
                    ('proven_at', models.DateTimeField(verbose_name='proven at')),
                    ('user', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='proven_email', to=settings.AUTH_USER_MODEL)),
                ],
                options={
                    'verbose_name': 'proven e-mail address',
                    'verbose_name_plural': 'proven e-mail addresses',
                    'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('email'), name='one_account_for_each_email')],
                },
            ),
        ]),
        # Backwards nothing is taken away: somebody may be in the group by now.
        migrations.RunPython(let_invite, migrations.RunPython.noop),
    ]

"""Why players were banned and let in again, by whom and when."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0014_player_erasing'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='BanRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('banned', 'banned'), ('lifted', 'ban lifted')], max_length=6, verbose_name='what')),
                ('at', models.DateTimeField(verbose_name='when')),
                ('reason', models.CharField(blank=True, max_length=300, verbose_name='reason')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='by')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ban_records', to='leaderboards.player', verbose_name='player')),
            ],
            options={
                'verbose_name': 'ban',
                'verbose_name_plural': 'bans',
                'ordering': ('-at', '-pk'),
            },
        ),
    ]

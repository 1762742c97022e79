"""Void submissions are found for their list."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0021_purge_all_in'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('voided_at__isnull', False)), fields=['id'], name='submission_void'),
        ),
    ]

"""When an erasure of the player began that is not through yet: the ban of that moment is its own."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0013_groups'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='erasing_since',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]

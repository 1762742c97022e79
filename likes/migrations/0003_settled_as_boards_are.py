"""A kind is settled as a period is: by a lease, and as a whole where its memory is lost."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("likes", "0002_activity")]

    operations = [
        migrations.AddField("likekind", "settling_until", models.DateTimeField(null=True)),
        migrations.AddField("likekind", "whole", models.BooleanField(default=False)),
    ]

"""A Redis is known by what it was made a primary as, besides its run_id: those known before are met once more."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("foundation", "0004_worker_clock")]

    operations = [
        migrations.RenameField(model_name="knownredis", old_name="run_id", new_name="identity"),
        migrations.AlterField(
            model_name="knownredis", name="identity", field=models.CharField(max_length=100, unique=True)
        ),
    ]

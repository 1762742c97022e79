"""Names as they are searched. The column is empty at first, so no row is written; the task ``fold_names`` fills it."""

from django.db import migrations

import leaderboards.fields


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0025_field_names")]

    operations = [
        migrations.AddField(
            "player", "folded_name", leaderboards.fields.ByteOrderedCharField(editable=False, max_length=100, null=True)
        ),
    ]

"""Fields get the names that the code has for them. Nothing is rewritten: each step renames a column or a table."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("competitions", "0016_scores_judged_are_told")]

    operations = [
        migrations.RenameField("revision", "left_out", "excluded_players"),
        migrations.RenameField("telling", "reached", "last_player"),
        migrations.RenameField("telling", "told_at", "notified_at"),
        migrations.RenameModel("Telling", "NotificationProgress"),
        migrations.RenameField("rewardrun", "steps", "version"),
    ]

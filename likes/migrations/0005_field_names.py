"""Fields get the names that the code has for them. Nothing is rewritten: each step renames a column or an index."""

from django.db import migrations, models

PENDING = models.Q(pending_publish=True)


class Migration(migrations.Migration):
    dependencies = [("likes", "0004_likes_of_a_day")]

    operations = [
        migrations.RenameField("likekind", "whole", "needs_full_rebuild"),
        migrations.RenameField("likekind", "settling_until", "lease_expires_at"),
        # Both databases rename the column in the index's condition; only Django's picture of it has to be made anew.
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveIndex("likecount", "like_count_unput")],
        ),
        migrations.RenameField("likecount", "unput", "pending_publish"),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddIndex("likecount", models.Index(fields=["kind"], condition=PENDING, name="like_count_unput"))
            ],
        ),
        migrations.RenameIndex("likecount", new_name="like_count_pending_publish", old_name="like_count_unput"),
    ]

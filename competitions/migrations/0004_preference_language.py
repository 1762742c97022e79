"""The language that a player gets his e-mails in; empty is the site's."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("competitions", "0003_comments")]

    operations = [
        migrations.AddField(
            model_name="preference",
            name="language",
            field=models.CharField(blank=True, default="", max_length=10, verbose_name="language"),
        ),
    ]

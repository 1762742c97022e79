"""The table of numbers for generations is foundation's now; the table itself stays where it is."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("leaderboards", "0011_memory_of_a_period"), ("foundation", "0006_numbers_of_generations")]

    operations = [migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel(name="DrawnGeneration")])]

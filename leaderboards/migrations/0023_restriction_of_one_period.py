"""A restriction may be of one period of its board alone, where it hides one standing."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboards', '0022_void_submissions'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='restriction',
            name='restriction_once_on_a_board',
        ),
        migrations.AddField(
            model_name='restriction',
            name='period',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='restrictions', to='leaderboards.period', verbose_name='period'),
        ),
        migrations.AddConstraint(
            model_name='restriction',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at', None), ('board__isnull', False), ('period', None)), fields=('player', 'board', 'kind'), name='restriction_once_on_a_board'),
        ),
        migrations.AddConstraint(
            model_name='restriction',
            constraint=models.UniqueConstraint(condition=models.Q(('lifted_at', None), ('period__isnull', False)), fields=('player', 'period'), name='restriction_once_in_a_period'),
        ),
        migrations.AddConstraint(
            model_name='restriction',
            constraint=models.CheckConstraint(condition=models.Q(('period', None), models.Q(('board__isnull', False), ('kind', 'hidden')), _connector='OR'), name='restriction_of_a_period_hides'),
        ),
    ]

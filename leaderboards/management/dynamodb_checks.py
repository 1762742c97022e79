"""The checks for boards in DynamoDB: one of ``manage.py doctor``, and one of ``manage.py check --deploy``."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.checks import CheckMessage, Error, Info, Tags, register
from django.db import DatabaseError
from django.utils.translation import gettext as _

from foundation.errors import Unavailable
from foundation.sunwi_settings import sunwi_settings
from leaderboards.management.findings import Finding, State, found
from leaderboards.models import Board, Storage
from leaderboards.stores.dynamodb.client import is_installed
from leaderboards.stores.dynamodb.table import table_problem

_INSTALL = "A board is stored in DynamoDB, and boto3 is not installed: install sunwi[dynamodb]."


def dynamodb_table(_at: datetime) -> Iterator[Finding]:
    """Tell whether the table is there, if a board is stored in it."""
    if not Board.objects.filter(storage=Storage.DYNAMODB).exists():
        yield Finding(State.OK, "DynamoDB", _("no board is stored there"))
        return
    problem = table_problem() if is_installed() else _INSTALL
    detail = problem or _("the table %(table)s is there") % {"table": sunwi_settings.DYNAMODB_TABLE}
    yield found(bool(problem), "DynamoDB", detail)


@register(Tags.database, deploy=True)
def boards_in_dynamodb_have_a_table(**_options: Any) -> list[CheckMessage]:
    """Check that boto3 and the table are there, if a board is stored in DynamoDB."""
    try:
        if not Board.objects.filter(storage=Storage.DYNAMODB).exists():
            return []
        problem = table_problem() if is_installed() else _INSTALL
    except DatabaseError:
        return []  # other checks tell
    except Unavailable as error:
        hint = "Are DYNAMODB_ENDPOINT, DYNAMODB_REGION and the credentials right?"
        return [Info(f"DynamoDB can not be asked ({error.detail}).", hint=hint, id="sunwi.I004")]
    hint = "Until then its boards take no scores, and their pages fail."
    return [Error(problem, hint=hint, id="sunwi.E023")] if problem else []

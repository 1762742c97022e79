"""Recovery codes: ten, shown once, each valid once. New ones replace the old."""

from datetime import datetime

from django.db import transaction

from accounts.core import recovery
from accounts.errors import WrongCode
from accounts.models import MailKind, RecoveryCode
from accounts.services.audit_actions import RECOVERY_CODE, record_and_notify
from accounts.services.mails import owner_notices
from accounts.services.second_factors.throttle import throttle_second_factor
from foundation.messages import Message
from foundation.users import User, users


@transaction.atomic
def draw(user: User, at: datetime) -> list[str]:
    """Make ten new codes and return them. If they replace earlier ones, the owner gets a notice."""
    users().select_for_update().get(pk=user.pk)
    if RecoveryCode.objects.filter(user=user).delete()[0]:
        owner_notices.notify_owner(MailKind.CODES_MADE, user, at, by=user)
    codes = [recovery.draw() for _ in range(recovery.CODE_COUNT)]
    RecoveryCode.objects.bulk_create(RecoveryCode(user=user, code_hash=recovery.hashed(code)) for code in codes)
    return codes


def left(user: User) -> int:
    """How many unused codes the user has."""
    return RecoveryCode.objects.filter(user=user, used_at=None).count()


def use(user: User, code: str, at: datetime, on_known_device: bool = False) -> None:
    """Use a code, once, also if two requests come at the same moment. Raises ``WrongCode`` and ``RateLimited``."""
    throttle_second_factor(user, on_known_device)
    unused = RecoveryCode.objects.filter(user=user, code_hash=recovery.hashed(code), used_at=None)
    with transaction.atomic():
        if not unused.update(used_at=at):
            raise WrongCode(Message("This recovery code is wrong or was used."))
        record_and_notify(RECOVERY_CODE, user, at)

"""Check who may see what is not public: private boards, drafts, private competitions, ranks hidden by a freeze.

Every page uses the permissions of the admin, so a page never shows more than the admin would.
"""

from django.db.models import Model
from django.http import HttpRequest


def may_see(request: HttpRequest, kind: type[Model]) -> bool:
    """Whether the user may see rows of this model that are not public: staff who may view or change them."""
    user = request.user
    if not (user.is_authenticated and user.is_active and user.is_staff):
        return False
    app, name = kind._meta.app_label, kind._meta.model_name
    return any(user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))

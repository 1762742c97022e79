"""Who may see what is not public: private boards, drafts, private competitions, ranks behind a freeze.

One question for every page, asked as the admin asks it: nobody sees more on a page than the admin would show them.
"""

from django.db.models import Model
from django.http import HttpRequest


def may_see(request: HttpRequest, kind: type[Model]) -> bool:
    """Whether they may see rows of this kind that are not public: staff with the permission to view or change them."""
    user = request.user
    if not (user.is_authenticated and user.is_active and user.is_staff):
        return False
    app, name = kind._meta.app_label, kind._meta.model_name
    return any(user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))

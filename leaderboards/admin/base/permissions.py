"""Which rows a user may see in the admin."""

from django.db.models import Model
from django.http import HttpRequest


def may_see(request: HttpRequest, model: type[Model]) -> bool:
    """Whether the user may view or change rows of this model."""
    app, name = model._meta.app_label, model._meta.model_name
    return any(request.user.has_perm(f"{app}.{verb}_{name}") for verb in ("view", "change"))

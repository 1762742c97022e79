"""A form's field for a player, who is typed by id or by name."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from leaderboards.admin.wording.names import first_names, name_and_id
from leaderboards.core.input.folding import fold
from leaderboards.models import Player


class PlayerForm(forms.Form):
    """A form with a player. A name is replaced by the id, so that a confirmation is about whom the preview showed."""

    player = forms.CharField(
        label=_lazy("Player"), max_length=200, help_text=_lazy("An id, or a name that only one player has.")
    )

    def clean_player(self) -> Player | None:
        """Return the player, None if the field may be empty and is; refuse who is unknown or not the only one."""
        typed = self.cleaned_data["player"]
        if not typed:
            return None
        player = Player.objects.filter(external_id=typed).first() or _only_one_called(typed)
        data: Any = self.data  # a QueryDict
        self.data = data = data.copy()
        data[self.add_prefix("player")] = player.external_id
        return player


def _only_one_called(name: str) -> Player:
    folded = fold(name)
    found = list(Player.objects.filter(folded_name=folded).order_by("pk")[:4]) if folded else []
    if not found:
        raise ValidationError(_("There is no player %(player)s.") % {"player": name})
    if len(found) > 1:
        names = first_names([name_and_id(each) for each in found])
        raise ValidationError(_("Several players are called so: %(names)s. Type the id.") % {"names": names})
    return found[0]

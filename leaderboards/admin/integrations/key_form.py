"""The form of a new service key."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from foundation import clock
from foundation.errors import Invalid
from foundation.generics import ModelForm
from foundation.models import ServiceKey
from foundation.security.networks import read_blocks
from foundation.throttling.limits import Limit, read_limit
from foundation.translate import translated
from leaderboards.admin.integrations.scope_words import scope_choices
from leaderboards.models import Board


class NewKeyForm(ModelForm[ServiceKey]):
    """The form of a new key."""

    scopes = forms.MultipleChoiceField(
        label=_lazy("Scopes"),
        choices=scope_choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("What the key may do."),
    )
    boards = forms.MultipleChoiceField(
        label=_lazy("Boards"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_lazy("Where it may do so; none ticked means every board, also those made later."),
    )

    expires_at = forms.SplitDateTimeField(
        label=_lazy("Expires"),
        required=False,
        widget=AdminSplitDateTime,
        help_text=_lazy("In UTC; empty means never, until it is revoked."),
    )
    limit = forms.CharField(
        label=_lazy("Limit"),
        required=False,
        max_length=20,
        help_text=_lazy("How many requests in how many seconds, such as 100/10; empty means the site's limits."),
    )

    signed = forms.BooleanField(
        label=_lazy("Demand signatures"),
        required=False,
        help_text=_lazy("Each request must be signed with a secret that is shown beside the key, once."),
    )
    addresses = forms.CharField(
        label=_lazy("Addresses"),
        required=False,
        max_length=3000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=_lazy(
            "From where it may be used: addresses or blocks such as 192.0.2.0/24 or 2001:db8::/32, one a line or with "
            "commas; empty means from anywhere."
        ),
    )

    class Meta:
        model = ServiceKey
        fields = ("name", "scopes", "boards", "expires_at")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        boards = Board.objects.order_by("seq")
        if "boards" in self.fields:
            field = self.fields["boards"]
            assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - for the type checker
            field.choices = [(str(board.seq), f"{board.seq}: {board.name}") for board in boards]

    def clean_boards(self) -> list[int] | None:
        """Return the numbers of the boards, or None for all."""
        return [int(seq) for seq in self.cleaned_data["boards"]] or None

    def clean_limit(self) -> Limit | None:
        """Parse the limit; None for the site's limits."""
        try:
            return read_limit(self.cleaned_data["limit"])
        except ValueError as error:
            raise ValidationError(
                _("Write it as requests/seconds: 100/10 means 100 requests in 10 seconds.")
            ) from error

    def clean_addresses(self) -> list[str]:
        """Normalise the address blocks; empty for anywhere."""
        try:
            return read_blocks(self.cleaned_data["addresses"].replace(",", " ").split())
        except Invalid as error:
            raise ValidationError(translated(error.detail)) from error

    def clean_expires_at(self) -> Any:
        """Refuse a time in the past."""
        expires_at = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= clock.now():
            raise ValidationError(_("This moment has passed: choose a later one, or none."))
        return expires_at

"""The form of a new account: its name, what else the user model asks for, and a password typed twice."""

from typing import Any

from django.contrib.auth.forms import BaseUserCreationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.services.registration.sign_up import Wanted, has_account
from foundation.generics import UserCreationForm
from foundation.users import EMAIL, User, column_of, has_djangos_users, user_model


class NewAccountForm(UserCreationForm[User]):
    """The columns of ``new_account_columns``, and a password. ``address`` is that of the link; empty without one."""

    address = ""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        for name in new_account_columns(self.address):
            self.fields[name].required = True
        if self.address and not has_djangos_users():
            self.instance.email = self.address  # the password is compared with it

    def clean_email(self) -> str:
        """Refuse an address that has an account."""
        email: str = self.cleaned_data[EMAIL]
        if has_account(email):
            raise ValidationError(_("This address has an account already."))
        return email

    def wanted(self) -> Wanted:
        """The validated columns and the password."""
        columns = {name: self.cleaned_data[name] for name in new_account_columns(self.address)}
        return Wanted(columns, self.cleaned_data["password1"])


def new_account_columns(address: str) -> list[str]:
    """The columns to ask for: the name to sign in with, and those that the user model requires.

    The e-mail address is asked for if the link has none and the model needs one: an address of its own for each
    account, or any at all.
    """
    model = user_model()
    names = dict.fromkeys((model.USERNAME_FIELD, *model.REQUIRED_FIELDS))
    names.pop(EMAIL, None)
    column = column_of(model, EMAIL)
    is_needed = model.USERNAME_FIELD == EMAIL or column.unique or not column.blank
    return [*names, *([EMAIL] if is_needed and not address else [])]


def new_account_form(address: str) -> type[NewAccountForm]:
    """The form for the project's user model, for a link that confirms ``address`` (empty: none)."""

    class Form(NewAccountForm):
        class Meta(BaseUserCreationForm.Meta):
            model = user_model()
            fields = tuple(new_account_columns(address))
            labels = {"username": gettext_lazy("Name to sign in with")}  # noqa: RUF012 - only Django reads it

    Form.address = address
    return Form

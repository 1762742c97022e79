"""Lists whose rows are deleted one at a time, each on a page that says what goes with it."""

from typing import Any

from django.http import HttpRequest


class NoBulkDeletion:
    """Takes Django's action that deletes several rows out of the list; comes before the admin class."""

    def get_actions(self, request: HttpRequest, action_location: Any = None) -> dict[str, Any]:
        """The other actions. Django 6.1 says where they are listed, earlier ones do not."""
        where = {} if action_location is None else {"action_location": action_location}
        actions: dict[str, Any] = super().get_actions(request, **where)  # type: ignore[misc]  # the admin class has it
        return {name: action for name, action in actions.items() if name != "delete_selected"}

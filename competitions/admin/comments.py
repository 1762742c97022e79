"""Comments in the admin: search them, hide them with a reason, and show them again; they are never edited."""

from django.contrib import admin
from django.contrib.auth.models import AbstractBaseUser
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as _lazy

from competitions.admin.actions.with_reason import ReasonRequest, WithReason
from competitions.models import Comment
from competitions.services.comments import moderate
from foundation import clock

BEGINNING = 80


@admin.register(Comment)
class CommentAdmin(WithReason[Comment]):
    """All comments, including hidden ones."""

    list_display = ("beginning", "player", "competition", "like_count", "created_at", "edited_at", "hidden_at")
    list_filter = (
        ("competition", admin.RelatedOnlyFieldListFilter),
        ("hidden_at", admin.EmptyFieldListFilter),
        ("deleted_at", admin.EmptyFieldListFilter),
    )
    list_select_related = ("player", "competition")
    search_fields = ("player__external_id__exact", "text__icontains")
    search_help_text = _lazy("A player's whole id, or words of a comment.")
    ordering = ("-pk",)
    actions = ("hide", "show")
    fields = (
        *("competition", "player", "text", "like_count", "created_at", "edited_at", "deleted_at"),
        *("hidden_at", "hidden_by", "hidden_reason"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Comment]:
        """Without the competitions' pictures."""
        return super().get_queryset(request).defer("competition__picture")

    def view_on_site(self, comment: Comment) -> str | None:
        """Return the URL of the comment; None if its author has deleted it."""
        return None if comment.deleted_at else reverse("comment", args=[comment.competition_id, comment.pk])

    @admin.display(description=_lazy("comment"))
    def beginning(self, comment: Comment) -> str:
        """Show its first words; a dash if its author has deleted it."""
        return Truncator(" ".join(comment.text.split())).chars(BEGINNING) or "–"

    @admin.action(description=_lazy("Hide the selected comments"), permissions=["act"])
    def hide(self, request: HttpRequest, comments: QuerySet[Comment]) -> HttpResponseBase | None:
        """Hide comments from all but their authors and moderators."""
        question = _("Their authors still see them, with the reason. Nobody else does.")
        return self.ask(request, ReasonRequest("hide", _("Hide comments"), question, _hide, _name), list(comments))

    @admin.action(description=_lazy("Show the selected comments again"), permissions=["act"])
    def show(self, request: HttpRequest, comments: QuerySet[Comment]) -> None:
        """Show hidden comments again."""
        self.each(request, ReasonRequest("show", "", "", _show, _name), list(comments))

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the user may change comments."""
        return request.user.has_perm("competitions.change_comment")


def _name(comment: Comment) -> str:
    return f"{comment.player}: {Truncator(comment.text).chars(BEGINNING)}"


def _hide(comment: Comment, reason: str, by: AbstractBaseUser) -> Comment:
    return moderate.hide(comment.pk, reason, clock.now(), by)


def _show(comment: Comment, _reason: str, by: AbstractBaseUser) -> Comment:
    return moderate.show(comment.pk, clock.now(), by)

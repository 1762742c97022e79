"""Refusals as a form says them: by the labels in front of the reader, where the API says the names of settings."""

import re

from django import forms

_NAME = re.compile(r"`([a-z_]+)(?:: ([a-z_]+))?`")  # `ties`, or `ties: shared`


def label_of(name: str, form: forms.BaseForm) -> str:
    """Return the label of a field; empty for errors of the form as a whole."""
    return str(form.fields[name].label or name) if name in form.fields else ""


def with_labels(text: str, form: forms.BaseForm) -> str:
    """Return a refusal with the label of each field, or the words of each choice, in place of its name in backticks."""
    words = {
        str(value): str(label) for field in form.fields.values() for value, label in getattr(field, "choices", ())
    } | {name: str(field.label) for name, field in form.fields.items() if field.label}

    def said(found: re.Match[str]) -> str:
        names = [name for name in found.groups() if name]
        return f"“{': '.join(words[name] for name in names)}”" if words.keys() >= {*names} else found[0]

    return _NAME.sub(said, text)

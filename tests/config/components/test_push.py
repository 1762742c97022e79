"""The settings of web push: off without a key, and a wrong one ends the start without being told."""

import environ
import pytest
from django.core.exceptions import ImproperlyConfigured

from config.components import push
from foundation.push.keys import new_key


def env(**variables: str) -> environ.Env:
    made = environ.Env()
    made.ENVIRON = variables
    return made


def test_without_a_key_it_is_off_and_the_known_services_are_allowed() -> None:
    assert push.key(env()) == ""
    assert "fcm.googleapis.com" in push.hosts(env())


def test_a_key_that_was_made_is_taken_and_anything_else_is_refused_untold() -> None:
    made = new_key()

    assert push.key(env(PUSH_KEY=made)) == made
    with pytest.raises(ImproperlyConfigured, match=r"must be empty, or a key that `manage.py push_key`") as found:
        push.key(env(PUSH_KEY="hunter2"))
    assert "hunter2" not in str(found.value)
    with pytest.raises(ImproperlyConfigured, match="PUSH_HOSTS"):
        push.hosts(env(PUSH_HOSTS="https://push.example"))

"""The audit log: who changed what, when and why. The other apps register their kinds of actions and subjects.

``record`` writes an entry in the caller's transaction. ``register_action`` registers a kind of action and how to undo
it; ``register_opposites`` registers two actions that cancel each other.
"""

from foundation.audit.actions import register_action, register_opposites, register_subject
from foundation.audit.actor import acting
from foundation.audit.log import record

__all__ = ["acting", "record", "register_action", "register_opposites", "register_subject"]

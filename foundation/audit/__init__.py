"""The audit log: what people and keys changed, about what, when and why. Which words there are, the apps above say.

``record`` writes a row in the caller's transaction, ``register_action`` names a kind of act and may say how it is
undone,
``register_opposites`` which two take each other back.
"""

from foundation.audit.actions import register_action, register_opposites, register_subject
from foundation.audit.actor import acting
from foundation.audit.log import record

__all__ = ["acting", "record", "register_action", "register_opposites", "register_subject"]

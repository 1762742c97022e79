"""How long the state machines play."""

import os

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def play(machine: type[RuleBasedStateMachine]) -> None:
    """A sixth of the profile's examples, as each is twelve steps with many questions; or ``MACHINE_EXAMPLES``."""
    examples = int(os.environ.get("MACHINE_EXAMPLES", settings().max_examples // 6))
    long = settings(max_examples=examples, stateful_step_count=12, suppress_health_check=list(HealthCheck))
    run_state_machine_as_test(machine, settings=long)

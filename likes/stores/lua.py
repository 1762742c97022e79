"""The Lua of the stores of likes."""

from pathlib import Path

from foundation.sync.memory import scripts_in

script = scripts_in(Path(__file__).parent / "scripts")

"""The Lua of the stores of likes."""

from pathlib import Path

from foundation.sync.redis_state import script_loader

script = script_loader(Path(__file__).parent / "scripts")

"""The loader of this app's Lua scripts."""

from pathlib import Path

from foundation.sync.redis_state import script_loader

script = script_loader(Path(__file__).parent / "scripts")

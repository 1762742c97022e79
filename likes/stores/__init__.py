"""The storages of likes: one interface (``base.py``), one module for each storage, and their Lua scripts."""

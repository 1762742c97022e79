"""Where likes are kept and counted: one contract (``base.py``), a file a storage, and the Lua beside them."""

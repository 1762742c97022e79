"""Settings of a project that knows nothing of Sunwi."""

SECRET_KEY = "a-key-of-the-host"
INSTALLED_APPS: list[str] = []

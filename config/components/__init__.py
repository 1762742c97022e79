"""The parts of the settings that need more than a line; each reads the environment."""

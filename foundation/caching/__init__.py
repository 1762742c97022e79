"""A cache in the process, and the serializer of the shared cache."""

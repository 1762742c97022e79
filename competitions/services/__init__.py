"""Services: everything that changes competitions, one module for each use case."""

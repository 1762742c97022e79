"""Imports of files in the admin: ``upload`` stores them, ``worker`` evaluates and applies them, ``actions`` decides.

``scores``, ``players`` and ``boards`` handle the rows of each kind, with the services that the API and commands use.
"""

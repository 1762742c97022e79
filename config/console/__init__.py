"""The console: what stands around Django's admin, and the pages that tell how the place runs.

Nothing here changes anything. Each part is read by itself, so that a server that is away shows itself and hides nothing
of the others (``blocks``); what every page shows is one look of a few seconds (``look``).
"""

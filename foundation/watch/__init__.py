"""What a monitoring system reads at ``/metrics``: what processes count, and what is read when it asks.

Counts (``counts``) are kept by each process, in files where METRICS_FOLDER names a folder, so that whichever process
is asked tells the sum. What SQL and Redis know is read for each asking (``readings``). Other apps add theirs.
"""

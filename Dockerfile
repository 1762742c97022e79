# One image for web, worker, beat and migrations. It runs as nobody in particular, on a read-only disk.

ARG PYTHON_IMAGE=python:3.11-slim

FROM ${PYTHON_IMAGE} AS packages
# requirements-watch.txt adds OpenTelemetry and Sentry, requirements-dynamodb.txt boto3.
ARG REQUIREMENTS=requirements.txt
COPY ${REQUIREMENTS} requirements.txt
RUN python -m venv /venv && /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt

FROM ${PYTHON_IMAGE}
ENV PATH=/venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 STATIC_ROOT=/static
COPY --from=packages /venv /venv
WORKDIR /app
# Names in Chinese characters on the drawn pictures; other letters come with the product.
RUN apt-get update && apt-get install -y --no-install-recommends fonts-noto-cjk && rm -rf /var/lib/apt/lists/*
COPY manage.py pyproject.toml ./
COPY config config
COPY foundation foundation
COPY accounts accounts
COPY leaderboards leaderboards
COPY likes likes
COPY competitions competitions
COPY locale locale
COPY static static
COPY templates templates
# Where processes of one container keep what they count for /metrics.
ENV METRICS_FOLDER=/tmp/metrics
# The key serves this one command and no request. It counts nothing: a folder that root made here nobody could write to.
RUN SECRET_KEY=only-for-collectstatic METRICS_FOLDER= python manage.py collectstatic --noinput -v0
# What /healthz says that runs here.
ARG GIT_COMMIT=""
ENV GIT_COMMIT=$GIT_COMMIT
USER 10001:10001
EXPOSE 8000
CMD ["granian", "--interface", "wsgi", "--host", "0.0.0.0", "--port", "8000", "--workers", "2", \
     "--blocking-threads", "8", "--backpressure", "256", \
     "--workers-kill-timeout", "10", "--respawn-failed-workers", "config.wsgi:application"]

"""URLs for operators: liveness, readiness and metrics."""

from django.urls import path

from foundation import views
from foundation.http.own_transactions import own_transactions
from foundation.monitoring.metrics_view import metrics

urlpatterns = [
    path("healthz", views.alive, name="healthz"),
    path("readyz", views.ready, name="readyz"),
    path("metrics", metrics, name="metrics"),
]
own_transactions(urlpatterns)

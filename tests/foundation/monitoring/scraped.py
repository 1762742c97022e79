"""What /metrics prints, read as a monitoring system reads it."""

from django.test import Client
from prometheus_client.parser import text_string_to_metric_families

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scraped(text: str) -> Samples:
    """Each sample's value by its name and labels."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def scrape(client: Client) -> Samples:
    """All that this machine may read now."""
    answer = client.get("/metrics")
    assert answer.status_code == 200
    return scraped(answer.content.decode())


def value(samples: Samples, name: str, **labels: str) -> float:
    """One of them; 0 where it has not been counted yet."""
    return samples.get((name, tuple(sorted(labels.items()))), 0)

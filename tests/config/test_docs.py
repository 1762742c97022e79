"""The API's documentation: served by the site itself, under its own security policy."""

import re

from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import reverse


def test_the_page_reads_the_document_beside_it_and_nothing_from_anywhere_else(client: Client) -> None:
    response = client.get("/api/docs")

    page, policy = response.content.decode(), response["Content-Security-Policy"]
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert reverse("api-docs") == "/api/docs"
    assert '"url": "/api/openapi.json"' in page
    assert loaded
    for address in loaded:
        assert finders.find(address.removeprefix("/static/")), address
    assert "script-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy

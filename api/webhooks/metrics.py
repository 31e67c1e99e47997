"""What Prometheus may know of the door: counts, times and sizes by kind, never a source's secret or a mail's text."""

from prometheus_client import Counter, Histogram

OUTCOMES = Counter("deskhand_webhook_total", "Webhook answers.", ["kind", "status", "outcome"])
SECONDS = Histogram(
    "deskhand_webhook_seconds",
    "Time to answer a webhook.",
    ["kind"],
    buckets=(0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2, 5, 8),
)
BODY_BYTES = Histogram(
    "deskhand_webhook_body_bytes",
    "Size of webhook bodies.",
    ["kind"],
    buckets=(1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000),
)

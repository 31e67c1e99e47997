"""The HTTP side: webhooks that take mail in, and endpoints by which people and programs decide. It writes no status."""

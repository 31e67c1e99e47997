"""The embedded stack: Postgres, Temporal, the offline model endpoint, API and worker as children of one process."""

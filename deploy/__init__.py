"""Small programs of the production shape: what the image is built from and what prepares its Postgres."""

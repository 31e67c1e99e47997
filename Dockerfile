# One image for API, worker and jobs. The install lines are those of the Makefile; a test compares the two.
FROM python:3.11-slim

ENV PATH=/app/.venv/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 \
    DESKHAND_STATE_DIR=/var/lib/deskhand
WORKDIR /app
RUN useradd --uid 10001 --no-create-home --home-dir /nonexistent deskhand \
    && install -d -o deskhand -g deskhand -m 0700 /var/lib/deskhand

# Packages change less often than code. What only tests and the embedded stack need goes again in the same layer.
COPY requirements requirements
COPY pyproject.toml ./
COPY deploy/unneeded_packages.py deploy/unneeded_packages.py
RUN python -m venv --clear .venv \
    && .venv/bin/python -m pip --disable-pip-version-check --no-input --quiet --no-cache-dir install --require-hashes -r requirements/bootstrap.txt \
    && .venv/bin/uv pip sync --no-cache --python .venv/bin/python --require-hashes requirements/lock.txt \
    && .venv/bin/python deploy/unneeded_packages.py > /tmp/unneeded \
    && .venv/bin/uv pip uninstall --python .venv/bin/python -r /tmp/unneeded \
    && rm /tmp/unneeded

COPY . .
RUN .venv/bin/python -m pip --disable-pip-version-check --no-input --quiet --no-cache-dir install --no-deps --no-build-isolation --editable . \
    && .venv/bin/python -c "from cli.stack.environment import source_digest; print(source_digest())" > .build-id \
    && .venv/bin/python -m compileall -q contracts domain workflows activities adapters api cli worker.py

USER deskhand
VOLUME /var/lib/deskhand
ENTRYPOINT ["/bin/sh", "deploy/entrypoint.sh"]
CMD ["deskhand", "--help"]

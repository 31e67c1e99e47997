"""Received bytes, once per digest and organisation, in rows of at most 1 MiB (RC4)."""

from typing import Any
from uuid import UUID

CHUNK_BYTES = 1024 * 1024


class BlobStore:
    """Writes and reads inside the caller's transaction."""

    async def put(self, tx: Any, organisation_id: UUID, sha256: str, content: bytes) -> None:
        """Stores the bytes if they are new."""
        if await tx.value("blob_put", organisation_id, sha256, len(content)) is None:
            return
        starts = range(0, max(len(content), 1), CHUNK_BYTES)
        chunks = ((organisation_id, sha256, n, content[at : at + CHUNK_BYTES]) for n, at in enumerate(starts))
        await tx.run_many("blob_chunk_put", chunks)

    async def get(self, tx: Any, organisation_id: UUID, sha256: str) -> bytes | None:
        """The bytes as they were received, or None if they are gone."""
        rows = await tx.rows("blob_get", organisation_id, sha256)
        return b"".join(row["bytes"] for row in rows) if rows else None

-- What a person sees and settles of automatic replies that went wrong (P89) and of suspected loops (LO2).

-- name: incidents_list
SELECT i.id, i.mailbox_id, i.kind, i.message_id, i.outbox_id, i.caused_by, m.thread_id, i.sender, i.category, i.opened_at,
    i.acknowledged_at, i.acknowledged_by
FROM incidents i JOIN inbound_messages m ON m.id = i.message_id
WHERE ($1 OR i.acknowledged_at IS NULL) AND ($2::uuid IS NULL OR i.id < $2) ORDER BY i.id DESC LIMIT $3

-- name: incidents_acknowledge
UPDATE incidents SET acknowledged_at = coalesce(acknowledged_at, now()), acknowledged_by = coalesce(acknowledged_by, $2)
WHERE id = $1 RETURNING mailbox_id, acknowledged_by = $2 AND acknowledged_at = now() AS is_first

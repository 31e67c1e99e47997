-- What a page shows of automatic replies that went wrong and of suspected loops, for people to settle (P89, LO2).

-- name: corrections_of_thread
SELECT t.loop_suspected, t.loop_lifted_at, t.loop_lifted_by FROM conversation_threads t WHERE t.id = $1

-- name: corrections_incidents
-- Open incidents, newest first: of one conversation, or of these mailboxes.
SELECT i.id, i.kind, i.sender, i.category, i.opened_at, m.thread_id
FROM incidents i JOIN inbound_messages m ON m.id = i.message_id
WHERE i.acknowledged_at IS NULL AND i.mailbox_id = ANY ($1) AND ($2::uuid IS NULL OR m.thread_id = $2)
ORDER BY i.opened_at DESC, i.id DESC LIMIT $3

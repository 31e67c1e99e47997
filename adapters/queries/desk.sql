-- What people do with a conversation beside answering it: its state, snooze, notes, blocked senders; the filtered queue,
-- failures by equal error, and the palette. Never the status of a message.

-- name: desk_thread
SELECT t.id, t.mailbox_id, t.status, t.assigned_to, t.snoozed_until, t.snooze_returned_at, b.timezone, b.organisation_id
FROM conversation_threads t JOIN mailboxes b ON b.id = t.mailbox_id WHERE t.id = $1 FOR UPDATE OF t

-- name: desk_thread_now
SELECT t.status, t.snoozed_until, t.snooze_returned_at, b.timezone, coalesce(nullif(u.name, ''), u.email) AS owner
FROM conversation_threads t JOIN mailboxes b ON b.id = t.mailbox_id LEFT JOIN users u ON u.id = t.assigned_to WHERE t.id = $1

-- name: desk_thread_status
UPDATE conversation_threads SET status = $2, snooze_returned_at = NULL,
    resolved_at = CASE $2 WHEN 'resolved' THEN now() WHEN 'closed' THEN coalesce(resolved_at, now()) END,
    snoozed_until = CASE WHEN $2 IN ('resolved', 'closed') THEN NULL ELSE snoozed_until END
WHERE id = $1 AND status <> $2

-- name: desk_snooze
UPDATE conversation_threads SET snoozed_until = $2, snooze_returned_at = NULL
WHERE id = $1 AND snoozed_until IS DISTINCT FROM $2

-- name: desk_wake_due
-- Run by the sweep every minute, and by the list before it reads: a snooze that ended brings the conversation back,
-- a waiting one as open. A row that somebody holds right now is taken the next time.
WITH due AS (
    SELECT id FROM conversation_threads WHERE snoozed_until <= now() ORDER BY snoozed_until LIMIT 500 FOR UPDATE SKIP LOCKED
), woken AS (
    UPDATE conversation_threads t SET snooze_returned_at = t.snoozed_until, snoozed_until = NULL,
        status = CASE WHEN t.status = 'waiting' THEN 'open' ELSE t.status END
    FROM due WHERE t.id = due.id RETURNING t.id, t.mailbox_id
), noted AS (
    INSERT INTO audit_log (mailbox_id, actor, action, subject) SELECT mailbox_id, 'system', 'wake', 'thread/' || id FROM woken
)
SELECT id, pg_notify('deskhand_pages', mailbox_id || ' ') FROM woken LIMIT 500

-- name: desk_news
SELECT pg_notify('deskhand_pages', $1::uuid || ' ')

-- name: desk_note_add
INSERT INTO thread_notes (id, mailbox_id, thread_id, author_id, text)
SELECT $1, t.mailbox_id, t.id, $3, $4 FROM conversation_threads t WHERE t.id = $2
ON CONFLICT (id) DO NOTHING

-- name: desk_note
SELECT n.id, n.text, n.created_at, n.author_id, coalesce(nullif(u.name, ''), u.email) AS author
FROM thread_notes n JOIN users u ON u.id = n.author_id WHERE n.id = $1

-- name: desk_notes
SELECT n.id, n.text, n.created_at, n.author_id, coalesce(nullif(u.name, ''), u.email) AS author
FROM thread_notes n JOIN users u ON u.id = n.author_id WHERE n.thread_id = $1 ORDER BY n.created_at DESC, n.id DESC LIMIT 200

-- ---------------------------------------------------------------- senders

-- name: desk_sender_of
SELECT m.mailbox_id, m.from_identity FROM inbound_messages m WHERE m.id = $1

-- name: desk_block
INSERT INTO address_blocks (mailbox_id, address, kind, reason, by) SELECT b.id, $2, 'blocked_sender', $3, $4
FROM mailboxes b WHERE b.id = $1 AND b.id = ANY ($5)
ON CONFLICT DO NOTHING RETURNING address

-- name: desk_unblock
DELETE FROM address_blocks WHERE mailbox_id = $1 AND address = $2 AND kind = 'blocked_sender'
RETURNING reason, by, created_at

-- name: desk_block_of
SELECT reason, by, created_at FROM address_blocks WHERE mailbox_id = $1 AND address = $2 AND kind = 'blocked_sender'

-- name: desk_blocked
SELECT x.mailbox_id, x.address, x.reason, x.by, x.created_at, b.address AS mailbox,
    coalesce(nullif(u.name, ''), u.email, x.by) AS by_name,
    (SELECT count(*) FROM (SELECT 1 FROM inbound_messages m WHERE m.mailbox_id = x.mailbox_id AND m.from_identity = x.address
        AND m.archive_reason = 'sender_blocked' LIMIT 1000) held) AS mails
FROM address_blocks x JOIN mailboxes b ON b.id = x.mailbox_id LEFT JOIN users u ON 'user:' || u.id = x.by
WHERE x.kind = 'blocked_sender' AND x.mailbox_id = ANY ($1) AND ($2::text IS NULL OR (x.address, x.mailbox_id) > ($2, $3::uuid))
ORDER BY x.address, x.mailbox_id LIMIT $4

-- ---------------------------------------------------------------- the review queue, filtered (P116, P101)

-- name: desk_queue
-- One ordered walk per mailbox; a filter only leaves rows out on the way, and the walk ends with the page.
-- $2 category, $3 trust word, $4 whose (me, nobody or empty), $5 the person, $6 overdue, $7-$8 the last row seen.
SELECT m.id, m.thread_id, m.mailbox_id, m.processing_status AS status, m.hold_reason, m.archive_reason, m.subject,
    m.from_address, m.from_name, left(m.new_text, 200) AS snippet, m.received_at, m.changed_at, m.confidence_score,
    m.classification ->> 'category' AS category, m.classification ->> 'priority' AS priority, m.content_flags, m.draft_revision,
    m.draft_response IS NOT NULL AS has_draft, m.review_due_at < now() AS overdue, m.failed_step, m.error_type, m.hold_until,
    m.send_at, m.security_flags, m.reply_recipients, m.reply_cc, page.has_findings,
    (SELECT n.id FROM inbound_messages n WHERE n.thread_id = m.thread_id AND n.automatic_class <> 'A'
        ORDER BY n.received_at DESC, n.id DESC LIMIT 1) AS seen_message_id
FROM (
    SELECT one.id, one.has_findings FROM unnest($1::uuid[]) AS box(id)
    CROSS JOIN LATERAL (
        SELECT x.id, x.received_at, f.has_findings FROM inbound_messages x
        CROSS JOIN LATERAL (SELECT EXISTS (SELECT 1 FROM outbound_findings f WHERE f.message_id = x.id
            AND f.revision = x.draft_revision) AS has_findings) f
        WHERE x.mailbox_id = box.id AND x.processing_status = 'draft_ready'
            AND ($7::timestamptz IS NULL OR (x.received_at, x.id) < ($7, $8::uuid))
            AND ($2::text IS NULL OR x.classification ->> 'category' = $2)
            AND (NOT $6 OR x.review_due_at < now())
            AND ($3::text IS NULL OR $3 = CASE
                WHEN x.draft_response IS NULL OR x.confidence_score IS NULL OR x.confidence_score < 0.60 THEN 'you'
                WHEN x.confidence_score >= 0.80 AND x.content_flags = '{}' AND NOT f.has_findings THEN 'ready' ELSE 'look' END)
            AND ($4::text IS NULL OR EXISTS (SELECT 1 FROM conversation_threads t WHERE t.id = x.thread_id
                AND CASE $4 WHEN 'nobody' THEN coalesce(x.assigned_to, t.assigned_to) IS NULL
                    ELSE coalesce(x.assigned_to, t.assigned_to) = $5 END))
        ORDER BY x.received_at DESC, x.id DESC LIMIT $9) one
    ORDER BY one.received_at DESC, one.id DESC LIMIT $9
) page JOIN inbound_messages m ON m.id = page.id
ORDER BY m.received_at DESC, m.id DESC

-- name: desk_overdue_mine
-- What this person is told of: overdue items of theirs, and of nobody's.
SELECT count(*) FROM (SELECT 1 FROM inbound_messages m JOIN conversation_threads t ON t.id = m.thread_id
    WHERE m.mailbox_id = ANY ($1) AND m.processing_status = 'draft_ready' AND m.review_due_at < now()
        AND coalesce(m.assigned_to, t.assigned_to, $2) = $2 LIMIT 1000) late

-- ---------------------------------------------------------------- failures by equal error (P119)

-- name: desk_failures
SELECT coalesce(m.failed_step, '') AS failed_step, coalesce(m.error_type, '') AS error_type, count(*) AS mails,
    max(m.changed_at) AS newest, min(m.changed_at) AS oldest, min(m.hold_until) AS next_try,
    (array_agg(left(m.error_message, 300) ORDER BY m.changed_at DESC))[1] AS example
FROM inbound_messages m WHERE m.mailbox_id = ANY ($1) AND m.processing_status = 'failed'
GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2 LIMIT 50

-- name: desk_equal_failures
SELECT m.id FROM inbound_messages m WHERE m.mailbox_id = ANY ($1) AND m.processing_status = 'failed'
    AND coalesce(m.failed_step, '') = $2 AND coalesce(m.error_type, '') = $3
ORDER BY m.received_at, m.id LIMIT $4

-- ---------------------------------------------------------------- inline pictures, and the palette

-- name: desk_inline
-- The picture of a mail that its HTML calls by this Content-ID; the parsed attachments carry the ids, in the same order.
SELECT a.n, a.sniffed_type, a.size_bytes, c.file ->> 'content_id' AS content_id
FROM parsed_mails p CROSS JOIN LATERAL jsonb_array_elements(p.parsed -> 'attachments') WITH ORDINALITY AS c(file, place)
JOIN attachments a ON a.message_id = p.message_id AND a.n = c.place - 1
WHERE p.message_id = $1 AND a.sha256 <> '' AND c.file ->> 'content_id' <> '' LIMIT 200

-- name: desk_picture
SELECT f.sha256, f.sniffed_type, f.size_bytes, a.organisation_id FROM attachments f JOIN accepted_mail a ON a.message_id = f.message_id
WHERE f.message_id = $1 AND f.n = $2 AND f.sha256 <> ''

-- name: desk_find_threads
SELECT t.id, t.subject, t.status, t.last_message_at, t.snoozed_until, t.snooze_returned_at, t.latest_draft_status,
    coalesce(nullif(n.from_name, ''), n.from_address, t.contact_identifier) AS name
FROM (SELECT * FROM conversation_threads c WHERE c.mailbox_id = ANY ($1)
        AND c.id IN (SELECT f.thread_id FROM find_threads(to_tsquery('simple', $2)) f)
    ORDER BY c.last_message_at DESC, c.id LIMIT $3) t
LEFT JOIN LATERAL (SELECT m.from_name, m.from_address FROM inbound_messages m WHERE m.thread_id = t.id
    ORDER BY m.received_at DESC, m.id DESC LIMIT 1) n ON true
ORDER BY t.last_message_at DESC, t.id

-- name: desk_find_people
SELECT c.address, max(c.name) AS name, count(*) AS threads FROM conversation_threads t JOIN contacts c ON c.id = t.contact_id
WHERE t.mailbox_id = ANY ($1) AND t.id IN (SELECT f.thread_id FROM find_threads(to_tsquery('simple', $2)) f)
    AND position(lower($3) IN lower(c.name || ' ' || c.address)) > 0
GROUP BY c.address ORDER BY max(t.last_message_at) DESC, c.address LIMIT $4

-- name: desk_zone
SELECT b.timezone FROM conversation_threads t JOIN mailboxes b ON b.id = t.mailbox_id WHERE t.id = $1

-- What the pages read beside the API's statements, and the little they keep: sessions, read marks, preferences. Never a status.

-- name: dashboard_user
SELECT id, email, role, password_hash FROM users WHERE lower(email) = $1 AND disabled_at IS NULL ORDER BY id LIMIT 1

-- name: dashboard_throttle
-- Seconds until the next try: doubling from one second after the free tries, forgotten after a quarter of an hour.
SELECT coalesce(ceil(max(extract(epoch FROM f.last_at + least(interval '15 minutes',
    interval '1 second' * power(2, least(f.failures - s.free, 20))) - now()))), 0)::integer
FROM sign_in_failures f JOIN unnest($1::text[], $2::integer[]) AS s(subject, free) ON s.subject = f.subject
WHERE f.failures >= s.free AND f.last_at > now() - interval '15 minutes'
    AND f.last_at + least(interval '15 minutes', interval '1 second' * power(2, least(f.failures - s.free, 20))) > now()

-- name: dashboard_failure
INSERT INTO sign_in_failures (subject, failures) VALUES ($1, 1)
ON CONFLICT (subject) DO UPDATE SET last_at = now(),
    failures = CASE WHEN sign_in_failures.last_at < now() - interval '15 minutes' THEN 1 ELSE sign_in_failures.failures + 1 END

-- name: dashboard_failures_forget
DELETE FROM sign_in_failures WHERE subject = $1 OR last_at < now() - interval '1 day'

-- name: dashboard_session_add
WITH old AS (DELETE FROM sessions WHERE seen_at < now() - interval '30 days')
INSERT INTO sessions (id_hash, user_id, role, password_mark) VALUES ($1, $2, $3, $4)

-- name: dashboard_session
SELECT s.id_hash, s.user_id, s.role, s.password_mark, s.flash, s.undo, u.role AS role_now, u.password_hash, u.name, u.email,
    u.organisation_id, coalesce(p.language, '') AS language, coalesce(p.scheme, '') AS scheme,
    s.seen_at < now() - interval '1 minute' AS stale,
    ARRAY(SELECT b.id FROM mailboxes b WHERE b.organisation_id = u.organisation_id ORDER BY b.id LIMIT 1000) AS mailboxes
FROM sessions s JOIN users u ON u.id = s.user_id LEFT JOIN user_preferences p ON p.user_id = u.id
WHERE s.id_hash = $1 AND s.ended_at IS NULL AND u.disabled_at IS NULL
    AND s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days'

-- name: dashboard_session_seen
UPDATE sessions SET seen_at = now() WHERE id_hash = $1

-- name: dashboard_session_end
UPDATE sessions SET ended_at = now(), flash = NULL, undo = NULL WHERE id_hash = $1 AND ended_at IS NULL

-- name: dashboard_flash
UPDATE sessions SET flash = $2 WHERE id_hash = $1

-- name: dashboard_undo_note
UPDATE sessions SET undo = $2 WHERE id_hash = $1

-- name: dashboard_prefer
INSERT INTO user_preferences (user_id, language, scheme) VALUES ($1, $2, $3)
ON CONFLICT (user_id) DO UPDATE SET language = excluded.language, scheme = excluded.scheme

-- name: dashboard_undoable
SELECT m.id, m.send_at, coalesce(nullif(m.from_name, ''), m.from_address) AS name FROM inbound_messages m
WHERE m.id = ANY ($1) AND m.processing_status = 'approved' AND m.send_at > now() ORDER BY m.send_at LIMIT 50

-- name: dashboard_late
SELECT (SELECT count(*) FROM (SELECT 1 FROM inbound_messages m WHERE m.mailbox_id = ANY ($1)
        AND m.processing_status = 'draft_ready' AND m.review_due_at < now() LIMIT 1000) o) AS overdue,
    (SELECT count(*) FROM (SELECT 1 FROM inbound_messages m WHERE m.mailbox_id = ANY ($1)
        AND m.processing_status NOT IN ('sent', 'rejected', 'archived')
        AND NOT EXISTS (SELECT 1 FROM start_queue q WHERE q.workflow_id = 'message/' || m.id) LIMIT 1000) u)
    + (SELECT count(*) FROM (SELECT 1 FROM accepted_mail a WHERE a.mailbox_id = ANY ($1) AND a.account IN ('accepted', 'poison')
        AND NOT EXISTS (SELECT 1 FROM start_queue q WHERE q.workflow_id = 'message/' || a.message_id) LIMIT 1000) u) AS unowned

-- name: dashboard_switches
SELECT k.id, k.mailbox_id, k.thrown_at, k.cause, b.address, coalesce(nullif(u.name, ''), u.email, k.thrown_by) AS by_name
FROM kill_switches k JOIN mailboxes b ON b.id = k.mailbox_id LEFT JOIN users u ON 'user:' || u.id = k.thrown_by
WHERE k.mailbox_id = ANY ($1) AND k.lifted_at IS NULL ORDER BY k.thrown_at DESC LIMIT 20

-- name: dashboard_pending_automatic
SELECT count(*) FROM (SELECT 1 FROM outbox WHERE mailbox_id = $1 AND state = 'ready' AND automatic LIMIT 1000) x

-- name: dashboard_threads
-- $4: a draft waits, then unread and nobody's, then the rest, oldest first; or newest first. $6-$8 name the last row seen.
WITH chosen AS (
    SELECT t.id, t.mailbox_id, t.subject, t.status, t.contact_identifier, t.latest_draft_status, t.message_count, t.assigned_to,
        t.last_message_at, t.snoozed_until, t.snooze_returned_at,
        coalesce(r.read_at < t.last_message_at, true) AS unread,
        CASE WHEN $4 = 'newest' OR t.latest_draft_status = 'pending' THEN 0
            WHEN t.assigned_to IS NULL AND coalesce(r.read_at < t.last_message_at, true) THEN 1 ELSE 2 END AS rank,
        CASE WHEN $4 = 'newest' THEN -1 ELSE 1 END * (extract(epoch FROM t.last_message_at) * 1000000)::bigint AS place
    FROM conversation_threads t LEFT JOIN thread_reads r ON r.thread_id = t.id AND r.user_id = $2
    WHERE t.mailbox_id = ANY ($1) AND CASE $3
            WHEN 'open' THEN t.status = 'open' AND coalesce(t.snoozed_until <= now(), true)
            WHEN 'mine' THEN t.status IN ('open', 'waiting') AND t.assigned_to = $2
            WHEN 'unassigned' THEN t.status IN ('open', 'waiting') AND t.assigned_to IS NULL AND coalesce(t.snoozed_until <= now(), true)
            WHEN 'snoozed' THEN t.status IN ('open', 'waiting') AND t.snoozed_until > now()
            WHEN 'all' THEN true ELSE t.status = $3 END
        AND ($5::text IS NULL OR t.id IN (SELECT f.thread_id FROM find_threads(to_tsquery('simple', $5)) f))
)
SELECT c.*, n.from_name, n.from_address, n.new_text AS snippet, n.processing_status, u.name AS assignee, u.email AS assignee_email
FROM (SELECT * FROM chosen WHERE $6::integer IS NULL OR (rank, place, id) > ($6, $7::bigint, $8::uuid)
    ORDER BY rank, place, id LIMIT $9) c
LEFT JOIN LATERAL (SELECT m.from_name, m.from_address, left(m.new_text, 200) AS new_text, m.processing_status
    FROM inbound_messages m WHERE m.thread_id = c.id ORDER BY m.received_at DESC, m.id DESC LIMIT 1) n ON true
LEFT JOIN users u ON u.id = c.assigned_to
ORDER BY c.rank, c.place, c.id

-- name: dashboard_thread_counts
SELECT count(*) FILTER (WHERE t.status = 'open' AND coalesce(t.snoozed_until <= now(), true)) AS open,
    count(*) FILTER (WHERE t.status IN ('open', 'waiting') AND t.assigned_to = $2) AS mine,
    count(*) FILTER (WHERE t.status IN ('open', 'waiting') AND t.assigned_to IS NULL
        AND coalesce(t.snoozed_until <= now(), true)) AS unassigned,
    count(*) FILTER (WHERE t.status = 'waiting') AS waiting,
    count(*) FILTER (WHERE t.status IN ('open', 'waiting') AND t.snoozed_until > now()) AS snoozed,
    count(*) FILTER (WHERE t.status = 'resolved') AS resolved,
    count(*) FILTER (WHERE t.status = 'closed') AS closed
FROM conversation_threads t WHERE t.mailbox_id = ANY ($1)

-- name: dashboard_lane
-- One ordered walk along the index per mailbox and status, so that a lane of many thousands costs no more than its page.
SELECT m.id, m.thread_id, m.mailbox_id, m.processing_status AS status, m.hold_reason, m.archive_reason, m.subject,
    m.from_address, m.from_name, left(m.new_text, 200) AS snippet, m.received_at, m.changed_at, m.confidence_score,
    m.classification ->> 'category' AS category, m.classification ->> 'priority' AS priority, m.content_flags, m.draft_revision,
    m.draft_response IS NOT NULL AS has_draft, m.review_due_at < now() AS overdue, m.failed_step, m.error_type, m.hold_until,
    m.send_at, m.security_flags, m.reply_recipients, m.reply_cc,
    EXISTS (SELECT 1 FROM outbound_findings f WHERE f.message_id = m.id AND f.revision = m.draft_revision) AS has_findings,
    (SELECT n.id FROM inbound_messages n WHERE n.thread_id = m.thread_id AND n.automatic_class <> 'A'
        ORDER BY n.received_at DESC, n.id DESC LIMIT 1) AS seen_message_id
FROM (
    SELECT one.id FROM unnest($1::uuid[]) AS box(id) CROSS JOIN unnest($2::text[]) AS place(status)
    CROSS JOIN LATERAL (
        SELECT x.id, x.received_at FROM inbound_messages x
        WHERE x.mailbox_id = box.id AND x.processing_status = place.status
            AND (NOT $3 OR x.processing_status = 'failed' OR x.hold_reason = 'delivery_ambiguous')
            AND ($4::timestamptz IS NULL OR (x.received_at, x.id) < ($4, $5::uuid))
        ORDER BY x.received_at DESC, x.id DESC LIMIT $6) one
    ORDER BY one.received_at DESC, one.id DESC LIMIT $6
) page JOIN inbound_messages m ON m.id = page.id
ORDER BY m.received_at DESC, m.id DESC

-- name: dashboard_looked_at
SELECT m.id FROM inbound_messages m JOIN thread_reads r ON r.thread_id = m.thread_id AND r.user_id = $1
WHERE m.id = ANY ($2) AND r.read_at >= m.changed_at LIMIT 1000

-- name: dashboard_conversation
SELECT m.id, m.processing_status AS status, m.hold_reason, m.archive_reason, m.subject, m.from_address, m.from_name, m.to_addresses,
    m.cc_addresses, left(m.text_body, 200000) AS text_body, left(m.new_text, 200000) AS new_text, m.received_at, m.hidden_meta,
    m.html_body <> '' AS has_html, left(p.parsed ->> 'quoted_text', 200000) AS quoted, p.parsed ->> 'signature' AS signature,
    ARRAY(SELECT jsonb_build_object('n', a.n, 'name', a.name, 'type', coalesce(nullif(a.sniffed_type, ''), a.declared_type),
        'size', a.size_bytes, 'there', a.sha256 <> '', 'flags', a.flags)
        FROM attachments a WHERE a.message_id = m.id ORDER BY a.n LIMIT 100) AS files
FROM inbound_messages m LEFT JOIN parsed_mails p ON p.message_id = m.id
WHERE m.thread_id = $1 ORDER BY m.received_at DESC, m.id DESC LIMIT $2

-- name: dashboard_html
SELECT m.html_body FROM inbound_messages m WHERE m.id = $1

-- name: dashboard_file
SELECT f.name, f.sha256, a.organisation_id FROM attachments f JOIN accepted_mail a ON a.message_id = f.message_id
WHERE f.message_id = $1 AND f.n = $2 AND f.sha256 <> ''

-- name: dashboard_grounding
SELECT s.kind, s.output FROM step_outputs s WHERE s.message_id = $1 AND s.run_no = $2 AND s.kind IN ('context_retrieval', 'draft') LIMIT 2

-- name: dashboard_active
SELECT m.id FROM inbound_messages m WHERE m.thread_id = $1
ORDER BY m.processing_status IN ('sent', 'rejected', 'archived'), m.received_at DESC, m.id DESC LIMIT 1

-- name: dashboard_thread_of
SELECT thread_id FROM inbound_messages WHERE id = $1

-- name: dashboard_read
INSERT INTO thread_reads (user_id, thread_id, mailbox_id)
SELECT $1, t.id, t.mailbox_id FROM conversation_threads t WHERE t.id = $2
ON CONFLICT (user_id, thread_id) DO UPDATE SET read_at = now()

-- name: dashboard_assign
UPDATE conversation_threads t SET assigned_to = u.id
FROM (SELECT $2::uuid AS wanted) w LEFT JOIN users u ON u.id = w.wanted AND u.organisation_id = $3 AND u.disabled_at IS NULL
WHERE t.id = $1 AND (w.wanted IS NULL OR u.id IS NOT NULL) AND t.assigned_to IS DISTINCT FROM u.id
RETURNING t.mailbox_id

-- name: dashboard_people
SELECT id, coalesce(nullif(name, ''), email) AS name FROM users WHERE organisation_id = $1 AND disabled_at IS NULL
ORDER BY name, id LIMIT 500

-- name: dashboard_present
SELECT coalesce(nullif(u.name, ''), u.email) AS name, p.mode FROM thread_presence p JOIN users u ON u.id = p.user_id
WHERE p.thread_id = $1 AND p.user_id <> $2 AND p.seen_at > now() - interval '60 seconds' ORDER BY name LIMIT 10

-- name: dashboard_presence
INSERT INTO thread_presence (thread_id, mailbox_id, user_id, mode)
SELECT t.id, t.mailbox_id, $2, $3 FROM conversation_threads t WHERE t.id = $1
ON CONFLICT (thread_id, user_id) DO UPDATE SET mode = excluded.mode, seen_at = now()

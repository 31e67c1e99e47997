-- ---------------------------------------------------------------- steps

-- name: step_message
SELECT m.*, t.status AS thread_status, t.loop_suspected, t.message_count, t.assigned_to AS thread_assigned_to,
    c.tone_description, c.signature_template, c.knowledge_entry_limit, c.file_limit, c.require_sender_auth,
    b.address AS mailbox_address, b.name AS mailbox_name, b.timezone, b.organisation_id,
    k.address AS contact_address, k.name AS contact_name, k.language AS contact_language, k.time_zone AS contact_time_zone,
    k.answered_at AS contact_answered_at, k.permanent AS contact_permanent, a.answered_by,
    (SELECT count(*) = 2 FROM feature_flags f
        WHERE f.mailbox_id = m.mailbox_id AND f.flag IN ('ai', 'ai.agent') AND f.is_on) AS agent_on,
    (SELECT count(*) = 2 FROM feature_flags f
        WHERE f.mailbox_id = m.mailbox_id AND f.flag IN ('ai', 'ai.knowledge') AND f.is_on) AS knowledge_on,
    (SELECT started_at FROM agent_actions x WHERE x.inbound_message_id = m.id AND x.run_no = m.run_no
        AND x.action_type = m.current_step) AS step_begun_at
FROM inbound_messages m
JOIN conversation_threads t ON t.id = m.thread_id
JOIN agent_config c ON c.mailbox_id = m.mailbox_id
JOIN mailboxes b ON b.id = m.mailbox_id
JOIN accepted_mail a ON a.message_id = m.id
LEFT JOIN contacts k ON k.id = m.contact_id
WHERE m.id = $1

-- name: step_store_output
INSERT INTO step_outputs (message_id, mailbox_id, run_no, kind, output, decision, attempt, duration_ms, model_used, token_usage)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (message_id, run_no, kind) DO UPDATE SET output = excluded.output, decision = excluded.decision,
    attempt = excluded.attempt, duration_ms = excluded.duration_ms, model_used = excluded.model_used,
    token_usage = excluded.token_usage, created_at = now()

-- name: step_store_error
INSERT INTO error_details (mailbox_id, message_id, step, error_type, detail, attempt) VALUES ($1, $2, $3, $4, $5, $6)

-- name: scan_siblings
SELECT m.id, m.subject, m.text_body, m.from_name, m.hidden_meta, m.attachment_meta, p.parsed
FROM inbound_messages m LEFT JOIN parsed_mails p ON p.message_id = m.id
WHERE m.archived_by_message_id = $1 AND m.archive_reason = 'coalesced' ORDER BY m.received_at LIMIT 50

-- name: scan_parsed
SELECT parsed FROM parsed_mails WHERE message_id = $1

-- name: scan_bypassed
SELECT detector, evidence_hash FROM scan_bypasses WHERE message_id = $1 LIMIT 500

-- name: context_activities
SELECT id, kind, at, summary FROM contact_activities WHERE contact_id = $1 ORDER BY at DESC LIMIT 5

-- name: context_history_inbound
SELECT id, received_at, text_body, from_address, subject, security_flags, automatic_class, archived_by_message_id
FROM inbound_messages
WHERE thread_id = $1 AND id <> $2 AND (received_at <= $3 OR archived_by_message_id = $2)
    AND processing_status <> 'quarantined' AND archive_reason IS DISTINCT FROM 'spam'
    AND archive_reason IS DISTINCT FROM 'classifier_spam'
ORDER BY (archived_by_message_id IS NOT DISTINCT FROM $2) DESC, received_at DESC LIMIT 60

-- name: context_history_sent
SELECT o.id, o.sent_at, o.subject, r.text FROM outbox o
JOIN draft_revisions r ON r.message_id = o.message_id AND r.revision = o.revision
WHERE o.thread_id = $1 AND o.state = 'sent' AND o.sent_at <= $2::timestamptz + interval '1 hour' ORDER BY o.sent_at DESC LIMIT 10

-- ---------------------------------------------------------------- ledger of model calls (P110)

-- name: usage_record
INSERT INTO llm_usage (mailbox_id, message_id, run_no, step, task, model, tokens_in, tokens_out, cost_usd, unpriced,
    offline, latency_ms, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- ---------------------------------------------------------------- route

-- name: route_rules
SELECT * FROM autonomy_rules WHERE mailbox_id = $1 ORDER BY category, sender LIMIT 1000

-- name: route_counts
SELECT clock_timestamp() AS now,
    (SELECT min(x.started_at) FROM agent_actions x JOIN inbound_messages n ON n.id = x.inbound_message_id
        WHERE n.id = $6 AND x.run_no = n.run_no) AS run_began_at,
    (SELECT count(*) = 3 FROM feature_flags WHERE mailbox_id = $1 AND is_on
        AND flag IN ('ai', 'ai.agent', 'ai.autonomy')) AS autonomy_on,
    (SELECT count(*) FROM autonomy_decisions WHERE mailbox_id = $1 AND sender = $3 AND category = $4 AND matched)::int AS matched,
    coalesce((SELECT CASE WHEN daily_count_reset_at <= now() THEN 0 ELSE current_daily_count END
        FROM autonomy_rules WHERE id = $5::uuid),
        (SELECT CASE WHEN daily_auto_reply_reset_at <= now() THEN 0 ELSE daily_auto_reply_count END
        FROM agent_config WHERE mailbox_id = $1)) AS today,
    (SELECT count(*) FROM outbox WHERE thread_id = $2 AND automatic AND state IN ('sent', 'sending', 'ambiguous', 'bounced')
        AND decided_at > last_human_action($2))::int AS thread_automatic,
    (SELECT count(*) FROM outbox o JOIN inbound_messages n ON n.id = o.message_id WHERE o.mailbox_id = $1 AND o.automatic
        AND n.from_identity = $3 AND o.decided_at > now() - interval '24 hours' AND o.state <> 'cancelled')::int AS sender_automatic

-- name: route_newer
SELECT n.id FROM inbound_messages n JOIN inbound_messages s ON s.id = $2
WHERE n.thread_id = $1 AND n.automatic_class <> 'A' AND (n.received_at, n.id) > (s.received_at, s.id) LIMIT 5

-- name: route_colleagues
SELECT u.name FROM thread_presence p JOIN users u ON u.id = p.user_id
WHERE p.thread_id = $1 AND p.mode = 'replying' AND p.seen_at > now() - interval '60 seconds' LIMIT 5

-- name: route_breakers
SELECT * FROM agent_circuit_breakers WHERE mailbox_id = $1 LIMIT 10

-- name: route_handling
SELECT id, kind, predicate, text FROM handling_rules WHERE mailbox_id = $1 ORDER BY created_at LIMIT 500

-- What the HTTP API reads, and the little it writes: notes, texts, start orders, switches, settings, tokens. Never a status.

-- name: api_token
WITH used AS (
    UPDATE api_tokens SET last_used_at = now()
    WHERE token_hash = $1 AND revoked_at IS NULL AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')
)
SELECT t.id, t.user_id, t.scopes, u.role, u.name, u.email, u.organisation_id,
    ARRAY(SELECT b.id FROM mailboxes b WHERE b.organisation_id = u.organisation_id ORDER BY b.id LIMIT 1000) AS mailboxes
FROM api_tokens t JOIN users u ON u.id = t.user_id
WHERE t.token_hash = $1 AND t.revoked_at IS NULL AND u.disabled_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())

-- name: api_token_add
INSERT INTO api_tokens (user_id, name, token_hash, scopes, expires_at)
SELECT u.id, $3, $4, $5, now() + make_interval(days => $6) FROM users u
WHERE u.id = $1 AND u.organisation_id = $2 AND u.disabled_at IS NULL
RETURNING id, created_at, expires_at

-- name: api_user
SELECT id, email, name, role FROM users WHERE id = $1 AND organisation_id = $2 AND disabled_at IS NULL

-- name: api_tokens
SELECT t.id, t.user_id, u.email, t.name, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE u.organisation_id = $1 ORDER BY t.id DESC LIMIT 500

-- name: api_token_revoke
UPDATE api_tokens t SET revoked_at = coalesce(t.revoked_at, now()) FROM users u
WHERE t.id = $1 AND u.id = t.user_id AND u.organisation_id = $2 RETURNING t.id, t.name, t.revoked_at

-- name: api_subject
SELECT a.message_id, a.mailbox_id, a.organisation_id, a.account, a.poison_reason, a.blob_sha256, b.kind AS mailbox_kind,
    b.address AS mailbox_address, m.processing_status AS status, m.thread_id, m.archive_reason, m.run_no, m.draft_revision, m.hold_reason, m.send_at,
    m.from_identity, m.draft_response, m.reply_recipients, w.workflow_id, w.started_at,
    (SELECT o.id FROM outbox o WHERE o.message_id = m.id AND o.reply_slot = 'reply' AND o.state <> 'cancelled'
        ORDER BY o.generation DESC LIMIT 1) AS outbox_id
FROM accepted_mail a
JOIN mailboxes b ON b.id = a.mailbox_id
LEFT JOIN inbound_messages m ON m.id = a.message_id
LEFT JOIN LATERAL (
    SELECT q.workflow_id, q.started_at FROM generate_series(1, coalesce(m.run_no, 0) + 1) n
    JOIN start_queue q ON q.workflow_id = 'message/' || a.message_id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC, q.start_no DESC LIMIT 1) w ON true
WHERE a.message_id = $1

-- name: api_in_thread
SELECT EXISTS (SELECT 1 FROM inbound_messages WHERE id = $1 AND thread_id = $2)

-- name: api_last_event
SELECT e.actor, e.at, e.to_status, coalesce(nullif(u.name, ''), u.email) AS name
FROM lifecycle_events e LEFT JOIN users u ON 'user:' || u.id = e.actor
WHERE e.message_id = $1 AND e.accepted ORDER BY e.seq DESC LIMIT 1

-- name: api_known_request
SELECT message_id, actor, action, digest, outcome, at FROM request_outcomes WHERE mailbox_id = $1 AND request_id = $2

-- name: api_remember_request
INSERT INTO request_outcomes (mailbox_id, request_id, message_id, actor, action, digest, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING

-- name: api_note_add
INSERT INTO review_notes (id, mailbox_id, message_id, author, kind, text) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (id) DO NOTHING

-- name: api_note
SELECT author, kind, text FROM review_notes WHERE id = $1

-- name: api_revision_same
SELECT revision FROM draft_revisions WHERE message_id = $1 AND author = $2 AND text = $3 AND revision > $4
ORDER BY revision DESC LIMIT 1

-- name: api_revision_add
INSERT INTO draft_revisions (message_id, mailbox_id, revision, run_no, author, text)
SELECT m.id, m.mailbox_id, (SELECT coalesce(max(r.revision) + 1, 0) FROM draft_revisions r WHERE r.message_id = m.id),
    m.run_no, $2, $3
FROM inbound_messages m WHERE m.id = $1 RETURNING revision

-- name: api_finding_add
INSERT INTO outbound_findings (message_id, mailbox_id, revision, finding_id, detector, evidence_hash, place, snippet, confirmable)
VALUES ($1, $2, $3, $4, $5, $6, int4range($7, $8), $9, $10) ON CONFLICT DO NOTHING

-- name: api_audit_once
INSERT INTO audit_log (mailbox_id, actor, action, subject, after)
SELECT $1, $2, $3, $4, $5 WHERE NOT EXISTS (SELECT 1 FROM audit_log WHERE at >= $6 AND actor = $2 AND action = $3
    AND subject = $4 AND after ->> 'request_id' = $5::jsonb ->> 'request_id')

-- name: api_audit
INSERT INTO audit_log (mailbox_id, actor, action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6)

-- name: api_block_sender
INSERT INTO address_blocks (mailbox_id, address, kind, reason, by) VALUES ($1, $2, 'blocked_sender', 'blocked by a person', $3)
ON CONFLICT DO NOTHING

-- name: api_start
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
SELECT $1, coalesce(max(start_no) + 1, 0), $2, CASE WHEN count(*) = 0 THEN 'reject_duplicate' ELSE 'allow_duplicate_failed_only' END,
    $3, $4
FROM start_queue WHERE workflow_id = $1
HAVING count(*) = 0 OR ($5 AND count(*) FILTER (WHERE started_at IS NULL OR started_at > now() - interval '1 minute') = 0)
ON CONFLICT DO NOTHING RETURNING start_no

-- ---------------------------------------------------------------- reading messages and threads

-- name: api_messages
SELECT m.id, m.mailbox_id, m.thread_id, m.processing_status AS status, m.hold_reason, m.hold_until, m.archive_reason,
    m.subject, m.from_address, m.from_name, m.received_at, m.changed_at, m.assigned_to, m.confidence_score,
    m.classification ->> 'category' AS category, m.classification ->> 'priority' AS priority, m.draft_revision,
    m.review_due_at, m.review_overdue_at IS NOT NULL AS review_overdue, m.failed_step, m.send_at, m.offline_model,
    w.workflow_id
FROM inbound_messages m
LEFT JOIN LATERAL (
    SELECT q.workflow_id FROM generate_series(1, m.run_no) n
    JOIN start_queue q ON q.workflow_id = 'message/' || m.id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC LIMIT 1) w ON true
WHERE ($1::text[] IS NULL OR m.processing_status = ANY ($1)) AND ($2::uuid IS NULL OR m.mailbox_id = $2)
    AND ($3::uuid IS NULL OR m.id < $3)
ORDER BY m.id DESC LIMIT $4

-- name: api_message
SELECT a.message_id AS id, a.mailbox_id, a.account, a.poison_reason, a.poison_detail, a.source, a.raw_kind, a.variant_of,
    a.answered_by, a.envelope_sender, a.envelope_recipients, a.received_at, a.blob_sha256,
    m.processing_status AS status, m.thread_id, m.contact_id, m.message_id, m.from_address, m.from_identity, m.from_name,
    m.reply_to, m.reply_recipients, m.reply_cc, m.reply_confirm, m.to_addresses, m.cc_addresses, m.subject, m.text_body,
    m.new_text, m.language, m.attachment_meta, m.content_flags, m.auth_verdicts, m.automatic_class, m.automatic_hits,
    m.thread_rule, m.thread_evidence, m.maybe_related_thread_id, m.hold_reason, m.hold_until, m.run_no, m.restart_no,
    m.lifecycle_seq, m.current_step, m.security_flags, m.classification, m.intents, m.draft_response, m.draft_subject,
    m.draft_options, m.draft_quality, m.draft_revision, m.offline_model, m.confidence_score, m.context_tier, m.context_gaps,
    m.context_tokens, m.grounding, m.decision_id, m.decision_reason, m.assigned_to, m.review_due_at, m.review_overdue_at,
    m.error_message, m.error_type, m.failed_step, m.retry_count, m.archive_reason, m.archived_by_message_id,
    m.exempt_reasons, m.offered_text_revision_of, m.approval_source, m.approved_by, m.approved_revision, m.seen_message_id,
    m.confirmed_findings, m.send_at, m.processed_at, m.changed_at, w.workflow_id,
    (SELECT n.id FROM inbound_messages n WHERE n.thread_id = m.thread_id AND n.automatic_class <> 'A'
        ORDER BY n.received_at DESC, n.id DESC LIMIT 1) AS newest_message_id
FROM accepted_mail a
LEFT JOIN inbound_messages m ON m.id = a.message_id
LEFT JOIN LATERAL (
    SELECT q.workflow_id FROM generate_series(1, coalesce(m.run_no, 1)) n
    JOIN start_queue q ON q.workflow_id = 'message/' || a.message_id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC LIMIT 1) w ON true
WHERE a.message_id = $1

-- name: api_revisions
SELECT revision, run_no, author, text, offline_model, created_at FROM draft_revisions WHERE message_id = $1
ORDER BY revision DESC LIMIT 100

-- name: api_findings
SELECT revision, finding_id, detector, lower(place) AS start, upper(place) AS end, snippet, confirmable
FROM outbound_findings WHERE message_id = $1 ORDER BY revision DESC, lower(place) LIMIT 500

-- name: api_steps
SELECT run_no, action_type AS step, status, attempts, retry_count, started_at, completed_at, duration_ms, model_used,
    token_usage, error_message, output
FROM agent_actions WHERE inbound_message_id = $1 ORDER BY run_no DESC, created_at LIMIT 200

-- name: api_events
SELECT seq, actor, from_status, to_status, reason, accepted, cause_key, temporal_run_id, at
FROM lifecycle_events WHERE message_id = $1 ORDER BY seq DESC LIMIT 200

-- name: api_outbox
SELECT id, message_id, thread_id, reply_slot, generation, previous_id, state, cancel_reason, automatic, decided_at,
    decided_by, revision, recipients, cc, subject, rfc_message_id, send_at, attempt, claimed_at, sent_at, delivered_at,
    complained_at, detail, created_at
FROM outbox WHERE message_id = $1 ORDER BY created_at DESC LIMIT 100

-- name: api_decision
SELECT id, run_no, outcome, stage, gate, reason, evidence, verdicts, score, category, would_have_sent, observed, created_at,
    rule_id, rule_version, propensity, audit_rate
FROM autonomy_decisions WHERE message_id = $1 ORDER BY run_no DESC LIMIT 1

-- name: api_thread
SELECT t.id, t.mailbox_id, t.subject, t.status, t.contact_identifier, t.latest_draft_status, t.message_count,
    t.assigned_to, t.loop_suspected, t.first_message_at, t.last_message_at, t.snoozed_until, t.resolved_at
FROM conversation_threads t WHERE t.id = $1

-- name: api_thread_messages
SELECT id, processing_status AS status, hold_reason, archive_reason, subject, from_address, from_name, text_body, new_text,
    received_at, draft_revision, send_at
FROM inbound_messages WHERE thread_id = $1 AND ($2::uuid IS NULL OR id < $2) ORDER BY id DESC LIMIT $3

-- name: api_thread_replies
SELECT o.id, o.message_id, o.reply_slot, o.generation, o.state, o.cancel_reason, o.automatic, o.decided_by, o.decided_at,
    o.recipients, o.cc, o.subject, o.send_at, o.sent_at, o.detail, r.text
FROM outbox o LEFT JOIN draft_revisions r ON r.message_id = o.message_id AND r.revision = o.revision
WHERE o.thread_id = $1 ORDER BY o.created_at DESC LIMIT 200

-- name: api_thread_newest
SELECT m.id, m.mailbox_id, m.reply_recipients,
    (SELECT n.id FROM inbound_messages n WHERE n.thread_id = m.thread_id
        AND n.processing_status NOT IN ('sent', 'rejected', 'archived') ORDER BY n.received_at DESC, n.id DESC LIMIT 1) AS open_id
FROM inbound_messages m WHERE m.thread_id = $1 AND m.automatic_class <> 'A' ORDER BY m.received_at DESC, m.id DESC LIMIT 1

-- name: api_reply
SELECT id, mailbox_id, message_id, thread_id, reply_slot, generation, state, cancel_reason, revision, send_at, sent_at, detail
FROM outbox WHERE id = $1

-- name: api_poison
SELECT a.message_id AS id, a.mailbox_id, a.poison_reason, a.poison_detail, a.source, a.raw_kind, a.envelope_sender,
    a.envelope_recipients, a.received_at, b.address AS mailbox, b.kind AS mailbox_kind, x.size_bytes
FROM accepted_mail a JOIN mailboxes b ON b.id = a.mailbox_id
LEFT JOIN blobs x ON x.organisation_id = a.organisation_id AND x.sha256 = a.blob_sha256
WHERE a.account = 'poison' AND ($1::uuid IS NULL OR a.message_id < $1) ORDER BY a.message_id DESC LIMIT $2

-- ---------------------------------------------------------------- mailboxes, flags, switches, settings

-- name: api_mailboxes
SELECT b.id, b.address, b.name, b.timezone, b.kind, b.is_default,
    (SELECT max(k.thrown_at) FROM kill_switches k WHERE k.mailbox_id = b.id AND k.lifted_at IS NULL) AS switched_off_at
FROM mailboxes b WHERE b.organisation_id = $1 ORDER BY b.kind, b.address LIMIT 500

-- name: api_mailbox
SELECT b.id, b.address, b.name, b.timezone, b.kind FROM mailboxes b WHERE b.id = $1 AND b.organisation_id = $2

-- name: api_settings_lock
SELECT mailbox_id FROM agent_config WHERE mailbox_id = $1 FOR UPDATE

-- name: api_flags
SELECT flag, is_on, changed_by, changed_at FROM feature_flags WHERE mailbox_id = $1 ORDER BY flag LIMIT 10

-- name: api_flag_set
INSERT INTO feature_flags (mailbox_id, flag, is_on, changed_by) VALUES ($1, $2, $3, $4)
ON CONFLICT (mailbox_id, flag) DO UPDATE SET is_on = excluded.is_on, changed_by = excluded.changed_by, changed_at = now()
WHERE feature_flags.is_on <> excluded.is_on

-- name: api_wake_held
INSERT INTO wake_queue (workflow_id, args, cause, created_at)
SELECT w.workflow_id, jsonb_build_object('cause', $2::text), m.id || ':' || $2,
    now() + row_number() OVER (ORDER BY m.received_at, m.id) * interval '1 microsecond'
FROM inbound_messages m
JOIN LATERAL (
    SELECT q.workflow_id FROM generate_series(1, m.run_no) n
    JOIN start_queue q ON q.workflow_id = 'message/' || m.id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC LIMIT 1) w ON true
WHERE m.mailbox_id = $1 AND m.hold_reason = 'agent_off'
    AND m.processing_status NOT IN ('sent', 'rejected', 'archived')
ON CONFLICT (cause) DO NOTHING

-- name: api_switch_throw
INSERT INTO kill_switches (mailbox_id, thrown_at, thrown_by, cause) VALUES ($1, clock_timestamp(), $2, $3)
RETURNING id, thrown_at

-- name: api_switch_lift
UPDATE kill_switches SET lifted_at = clock_timestamp(), lifted_by = $2 WHERE mailbox_id = $1 AND lifted_at IS NULL
RETURNING id

-- name: api_auto_reply_off
UPDATE agent_config SET is_auto_reply_enabled = false WHERE mailbox_id = $1

-- name: api_switches
SELECT id, thrown_at, thrown_by, cause, lifted_at, lifted_by, withdrawn_at FROM kill_switches
WHERE mailbox_id = $1 ORDER BY thrown_at DESC LIMIT 20

-- name: api_config
SELECT * FROM agent_config WHERE mailbox_id = $1

-- name: api_config_set
UPDATE agent_config c SET is_auto_reply_enabled = n.is_auto_reply_enabled, confidence_threshold = n.confidence_threshold,
    max_daily_auto_replies = n.max_daily_auto_replies, tone_description = n.tone_description,
    signature_template = n.signature_template, coalesce_window_ms = n.coalesce_window_ms, human_undo_ms = n.human_undo_ms,
    auto_send_delay_ms = n.auto_send_delay_ms, retry_after_s = n.retry_after_s, max_retries = n.max_retries,
    review_due_after_s = n.review_due_after_s, audit_rate = n.audit_rate, require_sender_auth = n.require_sender_auth,
    working_hours_enabled = n.working_hours_enabled, working_hours_zone = n.working_hours_zone,
    working_hours_days = n.working_hours_days, working_hours_start = n.working_hours_start,
    working_hours_end = n.working_hours_end, holidays_region = n.holidays_region, daily_budget_usd = n.daily_budget_usd,
    monthly_budget_usd = n.monthly_budget_usd, sender_rate_per_min = n.sender_rate_per_min, sender_burst = n.sender_burst,
    mailbox_rate_per_min = n.mailbox_rate_per_min, mailbox_burst = n.mailbox_burst,
    knowledge_entry_limit = n.knowledge_entry_limit, file_limit = n.file_limit,
    thread_close_after_days = n.thread_close_after_days, graph_retrieval = n.graph_retrieval, voice_examples = n.voice_examples
FROM (SELECT (jsonb_populate_record(x, $2)).* FROM agent_config x WHERE x.mailbox_id = $1) n
WHERE c.mailbox_id = $1 AND n.mailbox_id = $1

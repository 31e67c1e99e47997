-- The lifecycle: only activities/lifecycle uses these. Nothing outside this file and schema.sql writes a status (P15).
-- name: lifecycle_known_command
SELECT digest, outcome FROM lifecycle_commands WHERE message_id = $1 AND cause_key = $2

-- name: lifecycle_find
SELECT mailbox_id, thread_id FROM inbound_messages WHERE id = $1

-- name: lifecycle_lock_thread
SELECT id, status, contact_id, contact_identifier, assigned_to, snoozed_until, loop_suspected FROM conversation_threads WHERE id = $1
FOR UPDATE

-- name: lifecycle_lock_message
SELECT c.*, m.*, b.address AS mailbox_address, b.name AS mailbox_name, b.timezone, b.organisation_id
FROM inbound_messages m JOIN agent_config c ON c.mailbox_id = m.mailbox_id JOIN mailboxes b ON b.id = m.mailbox_id
WHERE m.id = $1 FOR UPDATE OF m

-- name: lifecycle_move
UPDATE inbound_messages
SET processing_status = $2,
    current_step = $3,
    archive_reason = $4,
    archived_by_message_id = $5,
    hold_reason = NULL,
    hold_until = NULL,
    review_due_at = CASE WHEN $2 = 'draft_ready' THEN now() + make_interval(secs => c.review_due_after_s) END,
    review_overdue_at = NULL,
    processed_at = CASE WHEN $2 IN ('approved', 'sent', 'rejected', 'archived', 'failed') THEN now() END,
    lifecycle_seq = lifecycle_seq + 1,
    changed_at = now()
FROM agent_config c
WHERE inbound_messages.id = $1 AND c.mailbox_id = inbound_messages.mailbox_id

-- name: lifecycle_touch
UPDATE inbound_messages SET lifecycle_seq = lifecycle_seq + 1, changed_at = now() WHERE id = $1

-- name: lifecycle_touch_once
UPDATE inbound_messages SET lifecycle_seq = lifecycle_seq + 1, changed_at = now() WHERE id = $1 AND lifecycle_seq = $2

-- name: lifecycle_hold
UPDATE inbound_messages
SET hold_reason = $2, hold_until = $3, lifecycle_seq = lifecycle_seq + 1, changed_at = now() WHERE id = $1

-- name: lifecycle_set_step
UPDATE inbound_messages
SET current_step = $2, hold_reason = NULL, hold_until = NULL, lifecycle_seq = lifecycle_seq + 1, changed_at = now()
WHERE id = $1

-- name: lifecycle_event
INSERT INTO lifecycle_events
    (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, reason, accepted, temporal_run_id)
SELECT id, mailbox_id, lifecycle_seq, $2, $3, $4, $5, $6, $7, $8 FROM inbound_messages WHERE id = $1

-- name: lifecycle_remember
INSERT INTO lifecycle_commands (message_id, mailbox_id, cause_key, digest, outcome, seq)
SELECT id, mailbox_id, $2, $3, $4, lifecycle_seq FROM inbound_messages WHERE id = $1

-- name: lifecycle_request_elsewhere
SELECT message_id FROM request_outcomes WHERE mailbox_id = $1 AND request_id = $2 AND message_id <> $3

-- name: lifecycle_remember_request
INSERT INTO request_outcomes (mailbox_id, request_id, message_id, actor, action, digest, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING

-- name: lifecycle_project_thread
UPDATE conversation_threads t
SET latest_draft_status = s.shown
FROM (SELECT CASE
        WHEN bool_or(processing_status = 'draft_ready') THEN 'pending'
        WHEN bool_or(processing_status = 'approved') THEN 'approved'
        ELSE (array_agg(processing_status ORDER BY processed_at DESC)
              FILTER (WHERE processing_status IN ('sent', 'rejected')))[1] END AS shown
      FROM inbound_messages WHERE thread_id = $1) s
WHERE t.id = $1 AND t.latest_draft_status IS DISTINCT FROM s.shown

-- name: lifecycle_view
SELECT m.id, m.mailbox_id, m.thread_id, m.processing_status, m.lifecycle_seq, m.run_no, m.restart_no, m.current_step,
    m.hold_reason, m.hold_until, m.send_at, m.review_due_at, m.review_overdue_at, m.archive_reason, m.failed_step,
    m.draft_revision, m.classification ->> 'category' AS category, m.classification ->> 'priority' AS priority,
    (SELECT o.id FROM outbox o WHERE o.message_id = m.id AND o.reply_slot = 'reply' AND o.state <> 'cancelled'
        ORDER BY o.generation DESC LIMIT 1) AS outbox_id,
    (SELECT count(*) = 2 FROM feature_flags f
        WHERE f.mailbox_id = m.mailbox_id AND f.flag IN ('ai', 'ai.agent') AND f.is_on) AS agent_on,
    (SELECT n.id FROM inbound_messages n WHERE n.thread_id = m.thread_id AND n.automatic_class <> 'A'
        ORDER BY n.received_at DESC, n.id DESC LIMIT 1) AS newest_message_id,
    clock_timestamp() AS now
FROM inbound_messages m WHERE m.id = $1

-- name: lifecycle_config
SELECT c.*, b.address AS mailbox_address, b.name AS mailbox_name, b.timezone, b.organisation_id
FROM agent_config c JOIN mailboxes b ON b.id = c.mailbox_id WHERE c.mailbox_id = $1

-- ---------------------------------------------------------------- receive (P11)

-- name: receive_mail
SELECT a.message_id, a.mailbox_id, a.organisation_id, a.received_at, a.account, a.flags, a.verdicts, a.answered_by,
    a.variant_of, a.envelope_sender, a.envelope_recipients, p.parsed, b.address AS mailbox_address
FROM accepted_mail a JOIN parsed_mails p ON p.message_id = a.message_id JOIN mailboxes b ON b.id = a.mailbox_id
WHERE a.message_id = $1

-- name: receive_lock_contact
SELECT pg_advisory_xact_lock(hashtextextended($1, 0))

-- name: receive_contact
-- Locks no contact that exists: the thread's lock comes first (P15a).
INSERT INTO contacts (organisation_id, address) VALUES ($1, $2) ON CONFLICT (organisation_id, address) DO NOTHING

-- name: receive_contact_id
SELECT id FROM contacts WHERE organisation_id = $1 AND address = $2

-- name: receive_contact_facts
UPDATE contacts
SET name = CASE WHEN name = '' AND name_set_by IS NULL THEN $2 ELSE name END,
    language = CASE WHEN language = '' THEN $3 ELSE language END
WHERE id = $1 AND ((name = '' AND name_set_by IS NULL AND $2 <> '') OR (language = '' AND $3 <> ''))

-- name: receive_own_addresses
SELECT x.address FROM mailbox_addresses x JOIN mailboxes b ON b.id = x.mailbox_id WHERE b.organisation_id = $1 LIMIT 1000

-- name: receive_form_senders
SELECT address, dkim_domain FROM form_senders WHERE mailbox_id = $1 ORDER BY address LIMIT 500

-- name: receive_exempt
SELECT EXISTS (SELECT 1 FROM automatic_exemptions WHERE mailbox_id = $1 AND address = $2)

-- name: receive_ids
SELECT i.rfc_id, i.kind, t.id AS thread_id, t.status, t.last_message_at, t.normalized_subject, t.contact_identifier,
    ARRAY(SELECT p.address FROM thread_participants p WHERE p.thread_id = t.id LIMIT 500) AS participants
FROM mail_ids i JOIN conversation_threads t ON t.id = i.thread_id
WHERE i.mailbox_id = $1 AND i.rfc_id = ANY ($2) LIMIT 300

-- name: receive_thread_facts
SELECT t.id AS thread_id, t.status, t.last_message_at, t.normalized_subject, t.contact_identifier,
    ARRAY(SELECT p.address FROM thread_participants p WHERE p.thread_id = t.id LIMIT 500) AS participants
FROM conversation_threads t WHERE t.mailbox_id = $1 AND t.id = $2

-- name: receive_subject_candidates
SELECT t.id AS thread_id, t.status, t.last_message_at, t.normalized_subject, t.contact_identifier,
    ARRAY(SELECT p.address FROM thread_participants p WHERE p.thread_id = t.id LIMIT 500) AS participants
FROM conversation_threads t
WHERE t.mailbox_id = $1 AND t.contact_identifier = $2 AND t.normalized_subject = $3 AND t.normalized_subject <> ''
    AND t.last_message_at > now() - interval '30 days'
ORDER BY t.last_message_at DESC LIMIT 5

-- name: receive_new_thread
INSERT INTO conversation_threads (mailbox_id, subject, normalized_subject, contact_id, contact_identifier,
    first_message_at, last_message_at)
VALUES ($1, $2, $3, $4, $5, $6, $6) RETURNING id

-- name: receive_bump_thread
UPDATE conversation_threads SET message_count = message_count + 1, last_message_at = greatest(last_message_at, $2)
WHERE id = $1

-- name: receive_participants
INSERT INTO thread_participants (thread_id, mailbox_id, address)
SELECT $1, $2, unnest($3::text[]) ON CONFLICT DO NOTHING

-- name: receive_mail_id
INSERT INTO mail_ids (mailbox_id, rfc_id, kind, ref_id, thread_id) VALUES ($1, $2, 'inbound', $3, $4)
ON CONFLICT DO NOTHING

-- name: receive_message
INSERT INTO inbound_messages (id, mailbox_id, thread_id, contact_id, message_id, from_address, from_identity, from_name,
    reply_to, to_addresses, cc_addresses, subject, text_body, new_text, html_body, language, in_reply_to, references_ids,
    headers, attachment_meta, hidden_meta, content_flags, auth_verdicts, automatic_class, automatic_hits, thread_rule,
    thread_evidence, maybe_related_thread_id, burst_started_at, received_at, processing_status)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
    $25, $26, $27, $28, $29, $30, 'received')

-- name: receive_recipients
UPDATE inbound_messages SET reply_recipients = $2, reply_cc = $3, reply_confirm = $4 WHERE id = $1

-- name: receive_attachment
INSERT INTO attachments (message_id, mailbox_id, n, name, declared_type, sniffed_type, size_bytes, sha256, flags)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING

-- name: receive_account
UPDATE accepted_mail SET account = 'pipeline', poison_reason = NULL, poison_detail = NULL WHERE message_id = $1
RETURNING mailbox_id

-- name: ledger_entry
INSERT INTO ledger_entries (mailbox_id, message_id, from_account, to_account, cause) VALUES ($1, $2, $3, $4, $5)

-- name: receive_siblings
SELECT id, burst_started_at FROM inbound_messages
WHERE thread_id = $1 AND id <> $2 AND processing_status = 'received' AND automatic_class <> 'A'
    AND exempt_reasons = '{}'
ORDER BY received_at LIMIT 200 FOR UPDATE

-- name: receive_inherit
UPDATE inbound_messages SET archived_by_message_id = $2 WHERE archived_by_message_id = $1 AND archive_reason = 'coalesced'
    AND thread_id = $3

-- name: receive_set_burst
UPDATE inbound_messages SET burst_started_at = $2 WHERE id = $1

-- name: receive_pending_sends
SELECT o.id AS outbox_id, o.message_id FROM outbox o
WHERE o.thread_id = $1 AND o.state = 'ready' ORDER BY o.id LIMIT 100 FOR UPDATE

-- name: receive_blocked
SELECT EXISTS (SELECT 1 FROM address_blocks WHERE mailbox_id = $1 AND address = $2 AND kind = 'blocked_sender')

-- name: receive_own_outbox
SELECT count(*) FROM mail_ids WHERE mailbox_id = $1 AND rfc_id = ANY ($2) AND kind IN ('sent', 'alias')

-- name: receive_loop_signs
-- AU11-AU13 from the sender's newest 50 mails, so that a flood of one sender costs no more at its end than at its start;
-- gate 9 and the claim count all of them. A send counts from its claim, for an answer can be here before it is booked.
WITH recent AS (
    SELECT id, received_at, new_text FROM inbound_messages
    WHERE mailbox_id = $1 AND from_identity = $2 AND received_at <= $5 AND id <> $4 ORDER BY received_at DESC, id DESC LIMIT 50
), sends AS (
    SELECT o.automatic, coalesce(o.claimed_at, o.sent_at) AS begun_at, coalesce(o.sent_at, o.claimed_at) AS at
    FROM recent r JOIN outbox o ON o.message_id = r.id WHERE o.state IN ('sending', 'sent', 'ambiguous', 'bounced')
), mails AS (
    SELECT id, received_at FROM recent WHERE received_at > $5::timestamptz - interval '24 hours'
    UNION ALL SELECT $4, $5
)
SELECT (SELECT count(*) FROM outbox o WHERE o.thread_id = $3 AND o.automatic AND o.state IN ('sending', 'sent', 'ambiguous', 'bounced')
        AND o.decided_at > last_human_action($3))::int AS in_thread,
    (SELECT count(*) FROM sends WHERE automatic AND begun_at > $5::timestamptz - interval '24 hours')::int AS to_sender,
    (SELECT new_text FROM recent ORDER BY received_at DESC, id DESC LIMIT 1) AS previous_text,
    ARRAY(SELECT min(m.received_at - least(s.at, m.received_at)) FROM mails m JOIN sends s ON s.begun_at <= m.received_at
        GROUP BY m.id) AS answer_delays

-- name: loop_suspect
UPDATE conversation_threads SET loop_suspected = true WHERE id = $1 AND NOT loop_suspected RETURNING id

-- name: loop_set_hits
UPDATE inbound_messages SET automatic_hits = $2, automatic_class = $3 WHERE id = $1

-- name: loop_last_automatic_text
SELECT r.text FROM outbox o JOIN draft_revisions r ON r.message_id = o.message_id AND r.revision = o.revision
WHERE o.thread_id = $1 AND o.message_id <> $2 AND o.automatic AND o.state IN ('sending', 'sent', 'ambiguous', 'bounced')
ORDER BY o.decided_at DESC LIMIT 1

-- name: loop_lift
UPDATE conversation_threads SET loop_suspected = false, loop_lifted_at = clock_timestamp(), loop_lifted_by = $2
WHERE id = $1 AND loop_suspected RETURNING mailbox_id

-- ---------------------------------------------------------------- entering and stepping

-- name: enter_budget_rows
-- A sender or mailbox never charged before gets its row first, or nothing could be locked and parallel entries would all be the first.
INSERT INTO rate_budgets (mailbox_id, sender, next_slot_at)
SELECT $1, s, 'epoch' FROM unnest($2::text[]) s ORDER BY s ON CONFLICT DO NOTHING

-- name: enter_budget
SELECT sender, next_slot_at FROM rate_budgets WHERE mailbox_id = $1 AND sender = ANY ($2) ORDER BY sender FOR UPDATE

-- name: enter_charge
INSERT INTO rate_budgets (mailbox_id, sender, next_slot_at) VALUES ($1, $2, $3)
ON CONFLICT (mailbox_id, sender) DO UPDATE SET next_slot_at = excluded.next_slot_at

-- name: enter_answered
SELECT answered_at IS NOT NULL FROM contacts WHERE id = $1

-- name: enter_paid
UPDATE inbound_messages SET budget_charged = $2 WHERE id = $1

-- name: enter_spent
SELECT coalesce(sum(cost_usd) FILTER (WHERE created_at >= $2), 0) AS today,
    coalesce(sum(cost_usd), 0) AS month
FROM llm_usage WHERE mailbox_id = $1 AND created_at >= $3

-- name: clock
SELECT clock_timestamp()

-- name: step_begin
INSERT INTO agent_actions (inbound_message_id, mailbox_id, run_no, action_type, status, input, started_at)
SELECT id, mailbox_id, run_no, $2, 'running', $3, clock_timestamp() FROM inbound_messages WHERE id = $1
ON CONFLICT (inbound_message_id, run_no, action_type) DO UPDATE
SET status = 'running', started_at = clock_timestamp(), completed_at = NULL, error_message = NULL,
    retry_count = agent_actions.retry_count + 1

-- name: step_complete
UPDATE agent_actions a
SET status = 'completed', output = o.decision, attempts = a.attempts + o.attempt, duration_ms = o.duration_ms,
    model_used = o.model_used, token_usage = o.token_usage, completed_at = clock_timestamp(), error_message = NULL
FROM step_outputs o
WHERE a.inbound_message_id = $1 AND a.run_no = $2 AND a.action_type = $3
    AND o.message_id = $1 AND o.run_no = $2 AND o.kind = $3

-- name: step_close
UPDATE agent_actions
SET status = $4, error_message = $5, attempts = greatest(attempts, $6), completed_at = clock_timestamp(),
    duration_ms = (extract(epoch FROM clock_timestamp() - started_at) * 1000)::integer
WHERE inbound_message_id = $1 AND run_no = $2 AND action_type = $3

-- name: step_close_running
UPDATE agent_actions SET status = 'failed', error_message = $4, completed_at = clock_timestamp()
WHERE inbound_message_id = $1 AND run_no = $2 AND action_type = $3 AND status = 'running'

-- name: step_pending
UPDATE agent_actions SET status = 'pending', error_message = NULL WHERE inbound_message_id = $1 AND run_no = $2
    AND action_type = $3

-- name: step_skip
INSERT INTO agent_actions (inbound_message_id, mailbox_id, run_no, action_type, status, completed_at)
SELECT $1, $2, $3, unnest($4::text[]), 'skipped', clock_timestamp()
ON CONFLICT (inbound_message_id, run_no, action_type) DO UPDATE SET status = 'skipped', completed_at = clock_timestamp()

-- name: step_output
SELECT output, decision, attempt, model_used FROM step_outputs WHERE message_id = $1 AND run_no = $2 AND kind = $3

-- name: step_outputs_of_run
SELECT kind, output, decision FROM step_outputs WHERE message_id = $1 AND run_no = $2 LIMIT 10

-- name: step_outputs_present
SELECT kind FROM step_outputs WHERE message_id = $1 AND run_no = $2 LIMIT 10

-- name: step_carry_outputs
INSERT INTO step_outputs (message_id, mailbox_id, run_no, kind, output, decision, attempt, duration_ms, model_used, token_usage)
SELECT message_id, mailbox_id, $3, kind, output, decision, attempt, duration_ms, model_used, token_usage
FROM step_outputs WHERE message_id = $1 AND run_no = $2 AND kind = ANY ($4) ON CONFLICT DO NOTHING

-- name: step_error_detail
SELECT d.error_type, d.detail, d.attempt FROM error_details d
JOIN agent_actions a ON a.inbound_message_id = d.message_id AND a.run_no = $3 AND a.action_type = d.step
WHERE d.message_id = $1 AND d.step = $2 AND d.created_at >= a.started_at ORDER BY d.created_at DESC LIMIT 1

-- name: step_set_security
UPDATE inbound_messages SET security_flags = $2 WHERE id = $1

-- name: step_set_context
UPDATE inbound_messages SET context_tier = $2, context_gaps = $3, context_tokens = $4, context_seen_message_id = $5
WHERE id = $1

-- name: step_set_classification
UPDATE inbound_messages SET classification = $2, intents = $3, content_flags = $4, offline_model = offline_model OR $5,
    confidence_score = CASE WHEN $6 THEN 0 ELSE confidence_score END
WHERE id = $1

-- name: step_set_draft
UPDATE inbound_messages
SET draft_response = $2, draft_subject = $3, draft_options = $4, draft_quality = $5, confidence_score = $6,
    grounding = $7, draft_revision = $8, offline_model = offline_model OR $9
WHERE id = $1

-- name: step_next_revision
SELECT coalesce(max(revision) + 1, 0) FROM draft_revisions WHERE message_id = $1

-- name: step_add_revision
INSERT INTO draft_revisions (message_id, mailbox_id, revision, run_no, author, text, offline_model)
SELECT id, mailbox_id, $2, run_no, $3, $4, $5 FROM inbound_messages WHERE id = $1

-- name: step_add_finding
INSERT INTO outbound_findings (message_id, mailbox_id, revision, finding_id, detector, evidence_hash, place, snippet, confirmable)
VALUES ($1, $2, $3, $4, $5, $6, int4range($7, $8), $9, $10) ON CONFLICT DO NOTHING

-- name: step_set_decision
UPDATE inbound_messages SET decision_id = $2, decision_reason = $3 WHERE id = $1

-- name: step_add_decision
INSERT INTO autonomy_decisions (mailbox_id, message_id, run_no, outcome, stage, gate, reason, evidence, verdicts, score,
    category, sender, rule_id, rule_version, draft_revision, would_have_sent, observed, propensity, audit_rate)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
ON CONFLICT (message_id, run_no) DO UPDATE SET outcome = excluded.outcome, stage = excluded.stage, gate = excluded.gate,
    reason = excluded.reason, evidence = excluded.evidence, verdicts = excluded.verdicts, score = excluded.score,
    draft_revision = excluded.draft_revision, would_have_sent = excluded.would_have_sent, observed = excluded.observed,
    propensity = excluded.propensity, audit_rate = excluded.audit_rate
RETURNING id

-- name: step_set_failure
UPDATE inbound_messages SET failed_step = $2, error_type = $3, error_message = $4, hold_reason = $5, hold_until = $6
WHERE id = $1

-- name: step_clear_failure
UPDATE inbound_messages SET error_type = NULL, error_message = NULL, restart_no = restart_no + 1, retry_count = $2
WHERE id = $1

-- name: step_forget_failed_step
UPDATE inbound_messages SET failed_step = NULL, budget_charged = NULL WHERE id = $1

-- name: step_new_run
UPDATE inbound_messages
SET run_no = run_no + 1, restart_no = 0, retry_count = 0, failed_step = NULL, error_type = NULL, error_message = NULL,
    security_flags = NULL, classification = NULL, intents = NULL, draft_response = NULL, draft_subject = NULL,
    draft_options = NULL, draft_quality = NULL, draft_revision = NULL, confidence_score = NULL, context_tier = NULL,
    context_gaps = NULL, context_tokens = NULL, context_seen_message_id = NULL, grounding = NULL, decision_id = NULL,
    decision_reason = NULL, offline_model = false, requested_by_person = false, instructions_id = NULL,
    content_flags = array_remove(array_remove(content_flags, 'several_intents'), 'too_many_intents')
WHERE id = $1

-- name: step_draft_run
UPDATE inbound_messages
SET run_no = run_no + 1, restart_no = 0, draft_response = NULL, draft_options = NULL, draft_quality = NULL,
    draft_revision = NULL, confidence_score = NULL, grounding = NULL, decision_id = NULL, decision_reason = NULL,
    requested_by_person = true, instructions_id = $2
WHERE id = $1

-- name: step_request_pipeline
UPDATE inbound_messages SET requested_by_person = true, instructions_id = $2, automatic_class = CASE
    WHEN automatic_class = 'A' THEN 'B' ELSE automatic_class END WHERE id = $1

-- name: step_exempt
UPDATE inbound_messages SET exempt_reasons = array_append(exempt_reasons, $2) WHERE id = $1

-- name: step_screened_thread
UPDATE conversation_threads SET status = 'open', resolved_at = NULL,
    snooze_returned_at = CASE WHEN snoozed_until IS NOT NULL THEN now() ELSE snooze_returned_at END, snoozed_until = NULL
WHERE id = $1 AND (status <> 'open' OR snoozed_until IS NOT NULL) RETURNING id

-- name: step_screened_contact
UPDATE contacts SET permanent = true WHERE id = $1 AND NOT permanent RETURNING id

-- name: step_activity
INSERT INTO contact_activities (mailbox_id, contact_id, kind, subject_id, summary) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (kind, subject_id) DO NOTHING

-- name: step_older_drafts
SELECT m.id, m.draft_revision, r.author FROM inbound_messages m
LEFT JOIN draft_revisions r ON r.message_id = m.id AND r.revision = m.draft_revision
WHERE m.thread_id = $1 AND m.id <> $2 AND m.processing_status = 'draft_ready' AND m.received_at <= $3
    AND NOT ('superseded' = ANY (m.exempt_reasons))
ORDER BY m.received_at LIMIT 200 FOR UPDATE OF m

-- name: step_newer_draft
SELECT n.id FROM inbound_messages n JOIN inbound_messages me ON me.id = $2
WHERE n.thread_id = $1 AND n.processing_status IN ('draft_ready', 'approved')
    AND (n.received_at, n.id) > (me.received_at, me.id) AND NOT ('superseded' = ANY (me.exempt_reasons)) ORDER BY n.received_at DESC, n.id DESC LIMIT 1

-- name: step_offer_text
UPDATE inbound_messages SET offered_text_revision_of = $2 WHERE id = $1

-- name: step_charge_rule
UPDATE autonomy_rules
SET current_daily_count = CASE WHEN daily_count_reset_at <= now() THEN 1 ELSE current_daily_count + 1 END,
    daily_count_reset_at = CASE WHEN daily_count_reset_at <= now() THEN $2 ELSE daily_count_reset_at END
WHERE id = $1 AND mode = 'on' AND max_daily_auto_actions > 0
    AND (daily_count_reset_at <= now() OR current_daily_count < max_daily_auto_actions)
RETURNING id

-- name: step_charge_global
UPDATE agent_config
SET daily_auto_reply_count = CASE WHEN daily_auto_reply_reset_at <= now() THEN 1 ELSE daily_auto_reply_count + 1 END,
    daily_auto_reply_reset_at = CASE WHEN daily_auto_reply_reset_at <= now() THEN $2 ELSE daily_auto_reply_reset_at END
WHERE mailbox_id = $1 AND is_auto_reply_enabled AND max_daily_auto_replies > 0
    AND (daily_auto_reply_reset_at <= now() OR daily_auto_reply_count < max_daily_auto_replies)
RETURNING mailbox_id

-- name: step_kill_switch_since
SELECT EXISTS (SELECT 1 FROM kill_switches WHERE mailbox_id = $1 AND (lifted_at IS NULL OR thrown_at > $2))

-- ---------------------------------------------------------------- review and sending

-- name: step_started_at
SELECT started_at FROM agent_actions WHERE inbound_message_id = $1 AND run_no = $2 AND action_type = $3

-- name: step_decision_id
SELECT decision_id FROM inbound_messages WHERE id = $1

-- name: review_outbox_ambiguous
UPDATE outbox SET state = 'ambiguous' WHERE id = $1 AND state = 'sending'

-- name: review_resume_sending
UPDATE inbound_messages SET hold_reason = NULL, hold_until = NULL, send_at = $2, lifecycle_seq = lifecycle_seq + 1,
    changed_at = now() WHERE id = $1

-- name: review_newest_id
SELECT id FROM inbound_messages
WHERE thread_id = $1 AND automatic_class <> 'A' ORDER BY received_at DESC, id DESC LIMIT 1

-- name: review_revision
SELECT revision, author, text, created_at FROM draft_revisions WHERE message_id = $1 AND revision = $2

-- name: review_newest_person_mail
SELECT id, received_at FROM inbound_messages
WHERE thread_id = $1 AND automatic_class <> 'A' ORDER BY received_at DESC, id DESC LIMIT 1

-- name: review_answered_elsewhere
SELECT o.processing_status FROM accepted_mail a JOIN inbound_messages o ON o.id = a.answered_by
WHERE a.message_id = $1 AND o.processing_status NOT IN ('archived', 'rejected')

-- name: review_received_at
SELECT received_at FROM inbound_messages WHERE id = $1

-- name: review_someone_replying
SELECT u.id FROM thread_presence p JOIN users u ON u.id = p.user_id
WHERE p.thread_id = $1 AND p.mode = 'replying' AND p.seen_at > now() - interval '60 seconds'
    AND 'user:' || p.user_id::text <> $2 LIMIT 1

-- name: review_set_approval
UPDATE inbound_messages
SET approval_source = $2, approved_by = $3, approved_revision = $4, seen_message_id = $5, confirmed_findings = $6,
    resolve_on_send = $7, send_at = $8, draft_revision = $4, draft_response = $9
WHERE id = $1

-- name: review_clear_approval
UPDATE inbound_messages SET send_at = NULL, approval_source = NULL, approved_by = NULL, approved_revision = NULL,
    confirmed_findings = NULL WHERE id = $1

-- name: review_new_outbox
INSERT INTO outbox (id, mailbox_id, message_id, thread_id, reply_slot, generation, previous_id, automatic, decided_by,
    decision_id, revision, confirmed_findings, seen_message_id, sender, sender_name, recipients, cc, recipients_hash,
    subject, body_sha256, rfc_message_id, send_at)
VALUES ($1, $2, $3, $4, $5, $6, coalesce($7, (SELECT d.id FROM outbox d WHERE d.message_id = $3 AND d.reply_slot = $5
    AND d.state = 'ambiguous' ORDER BY d.generation DESC LIMIT 1)), $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
    $20, $21, $22)

-- name: review_slot_used
-- The strongest sign that the slot's reply left: sent, else doubtful, else nothing.
SELECT state FROM outbox WHERE message_id = $1 AND reply_slot = $2 AND state IN ('sent', 'bounced', 'ambiguous', 'sending')
ORDER BY state IN ('sent', 'bounced') DESC, generation DESC LIMIT 1

-- name: review_clear_failure
UPDATE inbound_messages SET failed_step = NULL, error_type = NULL, error_message = NULL WHERE id = $1

-- name: review_sent_id
INSERT INTO mail_ids (mailbox_id, rfc_id, kind, ref_id, thread_id) VALUES ($1, $2, 'sent', $3, $4) ON CONFLICT DO NOTHING

-- name: review_live_outbox
SELECT * FROM outbox WHERE message_id = $1 AND reply_slot = $2 AND state <> 'cancelled'
ORDER BY generation DESC LIMIT 1 FOR UPDATE

-- name: review_last_generation
SELECT coalesce(max(generation), 0) FROM outbox WHERE message_id = $1 AND reply_slot = $2 AND state <> 'cancelled'

-- name: review_cancel_outbox
UPDATE outbox SET state = 'cancelled', cancel_reason = $2 WHERE id = $1 AND state = 'ready' RETURNING id

-- name: review_outbox
SELECT * FROM outbox WHERE id = $1 FOR UPDATE

-- name: review_outbox_went_out
UPDATE outbox SET state = 'sent', sent_at = now(), detail = $2 WHERE id = $1 AND state IN ('ambiguous', 'sending') RETURNING id

-- name: review_set_current_text
UPDATE inbound_messages SET draft_revision = $2, draft_response = $3, draft_subject = coalesce(draft_subject, $4),
    confidence_score = NULL, offline_model = false WHERE id = $1

-- name: review_assign
UPDATE inbound_messages SET assigned_to = $2 WHERE id = $1

-- name: review_member
SELECT id FROM users WHERE id = $1 AND disabled_at IS NULL

-- name: review_note
SELECT id, author, text FROM review_notes WHERE id = $1 AND message_id = $2

-- name: review_bypass
INSERT INTO scan_bypasses (message_id, mailbox_id, detector, evidence_hash, released_by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT DO NOTHING

-- name: review_feedback
INSERT INTO autonomy_feedback (message_id, mailbox_id, action, category, agent_confidence, similarity)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING

-- name: review_resolve_observation
UPDATE autonomy_decisions SET matched = $3 AND would_have_sent, resolved_at = now() WHERE message_id = $1 AND run_no = $2 AND observed

-- name: review_agent_text
SELECT text, revision, author FROM draft_revisions WHERE message_id = $1 AND author = 'agent' AND run_no = $2
ORDER BY revision DESC LIMIT 1

-- name: review_thread_after_send
UPDATE conversation_threads SET status = CASE WHEN $2 THEN 'resolved' WHEN status = 'open' THEN 'waiting' ELSE status END,
    resolved_at = CASE WHEN $2 THEN now() ELSE resolved_at END
WHERE id = $1

-- name: outcome_answered
-- The reply of ours that a mail answers: the one it names, else the last that left on its thread before it came.
SELECT o.id FROM inbound_messages m JOIN outbox o ON o.thread_id = m.thread_id
LEFT JOIN mail_ids i ON i.mailbox_id = m.mailbox_id AND i.rfc_id = m.in_reply_to AND i.kind IN ('sent', 'alias') AND i.ref_id = o.id
WHERE m.id = $1 AND o.message_id <> m.id AND o.state IN ('sending', 'sent', 'ambiguous')
    AND coalesce(o.claimed_at, o.sent_at) <= m.received_at
ORDER BY i.ref_id IS NOT NULL DESC, coalesce(o.claimed_at, o.sent_at) DESC LIMIT 1

-- name: review_contact_answered
UPDATE contacts SET answered_at = now() WHERE id = $1

-- name: review_mark_overdue
UPDATE inbound_messages SET review_overdue_at = now(), lifecycle_seq = lifecycle_seq + 1
WHERE id = $1 AND review_overdue_at IS NULL

-- name: review_event_author
SELECT actor, at, to_status FROM lifecycle_events WHERE message_id = $1 AND accepted ORDER BY seq DESC LIMIT 1

-- name: wake
-- Told is the workflow that tells the message's story now (P29).
INSERT INTO wake_queue (workflow_id, signal, args, cause)
SELECT CASE WHEN $1::text LIKE 'message/%' THEN message_workflow(substr($1, 9, 36)::uuid) ELSE $1 END, $2, $3, $4
ON CONFLICT (cause) DO NOTHING

-- name: wake_earlier_runs
-- Whatever told the story before the newest run looks at its message once more and finds that it is over.
INSERT INTO wake_queue (workflow_id, signal, args, cause)
SELECT DISTINCT w, 'wake', jsonb_build_object('cause', m.id || ':succeeded/' || m.run_no || '/' || w), m.id || ':succeeded/' || m.run_no || '/' || w
FROM inbound_messages m CROSS JOIN generate_series(1, m.run_no) n
CROSS JOIN LATERAL (SELECT 'message/' || m.id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END AS w) named
JOIN start_queue q ON q.workflow_id = w
WHERE m.id = $1 AND w <> message_workflow(m.id) ON CONFLICT (cause) DO NOTHING

-- name: lifecycle_workflow
SELECT message_workflow($1)

-- name: audit
INSERT INTO audit_log (mailbox_id, actor, action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6)

-- Every statement the product runs, by name. Lists are bounded and keyset-paged.

-- ================================================================ block: lifecycle
-- Only activities/lifecycle uses these. Nothing outside this block and schema.sql writes a status (P15).

-- name: lifecycle_known_command
SELECT digest, outcome FROM lifecycle_commands WHERE message_id = $1 AND cause_key = $2

-- name: lifecycle_find
SELECT mailbox_id, thread_id FROM inbound_messages WHERE id = $1

-- name: lifecycle_lock_thread
SELECT id, status, contact_id, contact_identifier, assigned_to, snoozed_until FROM conversation_threads WHERE id = $1 FOR UPDATE

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
    category, sender, rule_id, rule_version, draft_revision, would_have_sent, observed, propensity)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
ON CONFLICT (message_id, run_no) DO UPDATE SET outcome = excluded.outcome, stage = excluded.stage, gate = excluded.gate,
    reason = excluded.reason, evidence = excluded.evidence, verdicts = excluded.verdicts, score = excluded.score,
    draft_revision = excluded.draft_revision, would_have_sent = excluded.would_have_sent, observed = excluded.observed,
    propensity = excluded.propensity
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

-- name: review_contact_answered
UPDATE contacts SET answered_at = now() WHERE id = $1

-- name: review_mark_overdue
UPDATE inbound_messages SET review_overdue_at = now(), lifecycle_seq = lifecycle_seq + 1
WHERE id = $1 AND review_overdue_at IS NULL

-- name: review_event_author
SELECT actor, at, to_status FROM lifecycle_events WHERE message_id = $1 AND accepted ORDER BY seq DESC LIMIT 1

-- name: wake
-- A restored message lives on in message/<id>/run/<n> (P29): the newest one is told.
INSERT INTO wake_queue (workflow_id, signal, args, cause)
SELECT coalesce((SELECT q.workflow_id FROM inbound_messages m CROSS JOIN generate_series(2, m.run_no) n
        JOIN start_queue q ON q.workflow_id = 'message/' || m.id || '/run/' || n
        WHERE m.id = CASE WHEN $1::text LIKE 'message/%' THEN substr($1, 9, 36)::uuid END
        ORDER BY n DESC LIMIT 1), $1), $2, $3, $4
ON CONFLICT (cause) DO NOTHING

-- name: audit
INSERT INTO audit_log (mailbox_id, actor, action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6)

-- ================================================================ end of block: lifecycle

-- ---------------------------------------------------------------- blobs and the door

-- name: blob_put
-- A blob nobody refers to may be about to be swept: it is made young again, and its bytes are put in place once more.
INSERT INTO blobs (organisation_id, sha256, size_bytes) VALUES ($1, $2, $3)
ON CONFLICT (organisation_id, sha256) DO UPDATE SET created_at = now() WHERE blobs.created_at < now() - interval '12 hours'
RETURNING sha256

-- name: blob_chunk_put
INSERT INTO blob_chunks (organisation_id, sha256, n, bytes) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- name: blob_get
SELECT bytes FROM blob_chunks WHERE organisation_id = $1 AND sha256 = $2 ORDER BY n LIMIT 200

-- name: door_organisation
SELECT organisation_id FROM sources WHERE name = $1

-- name: door_event
INSERT INTO inbound_events (source, provider_event_id, body_sha256, event_type, flags) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (source, provider_event_id) DO NOTHING RETURNING id

-- name: door_event_known
SELECT id, body_sha256 FROM inbound_events WHERE source = $1 AND provider_event_id = $2

-- name: door_event_place
SELECT e.body_sha256, s.organisation_id FROM inbound_events e JOIN sources s ON s.name = e.source WHERE e.id = $1

-- name: door_messages_of_event
SELECT message_id, account FROM accepted_mail WHERE event_id = $1 ORDER BY message_id LIMIT 200

-- name: door_delivery
INSERT INTO deliveries (source, event_id, outcome, messages) VALUES ($1, $2, $3, $4)

-- name: door_mailboxes
SELECT address, mailbox_id FROM mailbox_addresses WHERE organisation_id = $1 AND address = ANY ($2) LIMIT 200

-- name: door_unassigned
SELECT id FROM mailboxes WHERE organisation_id = $1 AND kind = 'unassigned' LIMIT 1

-- name: door_message
WITH entered AS (
    INSERT INTO accepted_mail (mailbox_id, dedup_key, event_id, source, organisation_id, blob_sha256, raw_kind, account,
        poison_reason, poison_detail, envelope_sender, envelope_recipients, rfc_message_id, verdicts)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
    ON CONFLICT (mailbox_id, dedup_key) DO NOTHING
    RETURNING message_id, mailbox_id
), started AS (
    INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
    SELECT 'message/' || message_id, 0, 'InboundMessageWorkflow', 'reject_duplicate',
        jsonb_build_object('message_id', message_id), $15 FROM entered
), booked AS (
    INSERT INTO ledger_entries (mailbox_id, message_id, to_account, cause) SELECT mailbox_id, message_id, $8, 'accept' FROM entered
)
SELECT message_id FROM entered

-- name: door_message_known
SELECT message_id, account FROM accepted_mail WHERE mailbox_id = $1 AND dedup_key = $2

-- name: door_link_copy
UPDATE accepted_mail a SET answered_by = o.message_id
FROM (SELECT message_id FROM accepted_mail WHERE organisation_id = $4 AND dedup_key = $3 AND message_id <> $1
        AND account <> 'deleted' AND ($1 <> $2 OR message_id < $2)
      ORDER BY message_id = $2 DESC, message_id LIMIT 1) o
WHERE a.message_id = $1 AND a.answered_by IS NULL

-- name: door_link_variant
UPDATE accepted_mail a SET variant_of = v.message_id, flags = array_append(a.flags, 'same_id_other_body')
FROM (SELECT b.message_id FROM accepted_mail b JOIN accepted_mail me ON me.message_id = $1
      WHERE b.mailbox_id = me.mailbox_id AND b.rfc_message_id = me.rfc_message_id AND me.rfc_message_id <> ''
        AND b.message_id < $1 ORDER BY b.message_id LIMIT 1) v
WHERE a.message_id = $1

-- ---------------------------------------------------------------- parsing

-- name: parse_accepted
SELECT a.message_id, a.mailbox_id, a.organisation_id, a.blob_sha256, a.raw_kind, a.account, a.poison_reason,
    a.envelope_sender, a.envelope_recipients, a.received_at, b.name AS mailbox_name,
    EXISTS (SELECT 1 FROM parsed_mails p WHERE p.message_id = a.message_id) AS parsed_already
FROM accepted_mail a JOIN mailboxes b ON b.id = a.mailbox_id WHERE a.message_id = $1

-- name: parse_keep
INSERT INTO parsed_mails (message_id, mailbox_id, parser_version, parsed) VALUES ($1, $2, $3, $4)
ON CONFLICT (message_id) DO UPDATE
SET parser_version = excluded.parser_version, parsed = excluded.parsed, mailbox_id = excluded.mailbox_id, parsed_at = now()

-- name: parse_poison
UPDATE accepted_mail SET account = 'poison', poison_reason = $2, poison_detail = $3 WHERE message_id = $1

-- name: parse_bounced_outbox
SELECT o.id, o.mailbox_id, o.message_id, o.recipients FROM outbox o
WHERE o.id IN (SELECT ref_id FROM mail_ids WHERE mailbox_id = $1 AND rfc_id = ANY ($2) AND kind IN ('sent', 'alias'))
    OR o.id::text = $3 LIMIT 1

-- name: parse_flag
UPDATE accepted_mail SET flags = array_append(flags, $2) WHERE message_id = $1 AND NOT ($2 = ANY (flags))

-- name: parse_move_mailbox
UPDATE accepted_mail SET mailbox_id = $2 WHERE message_id = $1

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

-- name: context_knowledge_text
SELECT k.id, k.title, k.content, k.type, k.trust, k.said_by, k.contact_id, k.created_at
FROM knowledge_entries k, (SELECT to_tsquery('simple', string_agg(quote_literal(w), ' | ')) AS q
    FROM (SELECT DISTINCT lexeme AS w FROM unnest(to_tsvector('simple', $3)) WHERE length(lexeme) > 3 LIMIT 60) s) t
WHERE k.mailbox_id = $1 AND (k.contact_id IS NULL OR k.contact_id = $2) AND k.superseded_by IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now()) AND t.q IS NOT NULL AND k.search @@ t.q
ORDER BY ts_rank_cd(k.search, t.q) DESC, k.id LIMIT 30

-- name: context_knowledge_vector
SELECT k.id, k.title, k.content, k.type, k.trust, k.said_by, k.contact_id, k.created_at
FROM knowledge_entries k
WHERE k.mailbox_id = $1 AND (k.contact_id IS NULL OR k.contact_id = $2) AND k.superseded_by IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now()) AND k.embedding IS NOT NULL AND k.embedding_model = $4
ORDER BY k.embedding <=> $3::vector LIMIT 30

-- ---------------------------------------------------------------- claim and hand-over

-- name: claim_build
SELECT build_id FROM current_build WHERE component = 'worker' FOR SHARE

-- name: claim_thread
SELECT thread_id FROM outbox WHERE id = $1

-- name: claim_slot
SELECT reply_slot FROM outbox WHERE id = $1

-- name: claim_message
SELECT m.*, b.organisation_id, p.parsed ->> 'message_id_raw' AS parent_id_raw
FROM inbound_messages m JOIN mailboxes b ON b.id = m.mailbox_id LEFT JOIN parsed_mails p ON p.message_id = m.id
WHERE m.id = $1 FOR UPDATE OF m

-- name: claim_switch_lock
SELECT mailbox_id FROM agent_config WHERE mailbox_id = $1 FOR SHARE

-- name: claim_switches
SELECT thrown_at, lifted_at FROM kill_switches WHERE mailbox_id = $1 ORDER BY thrown_at DESC LIMIT 5

-- name: claim_suppressed
SELECT EXISTS (SELECT 1 FROM address_blocks WHERE mailbox_id = $1 AND kind = 'suppressed_recipient' AND address = ANY ($2))

-- name: claim_went_out
SELECT id FROM outbox WHERE message_id = $1 AND reply_slot = $2 AND id <> $3 AND state IN ('sent', 'bounced') LIMIT 1

-- name: claim_breaker_open
SELECT EXISTS (SELECT 1 FROM agent_circuit_breakers WHERE mailbox_id = $1 AND state = 'open')

-- name: claim_automation_on
-- What decided is still switched on: the rule with ai.autonomy, or the mailbox's automatic replies (P112).
SELECT (SELECT count(*) FROM feature_flags f WHERE f.mailbox_id = d.mailbox_id AND f.is_on AND f.flag = ANY (
        CASE WHEN d.rule_id IS NULL THEN '{ai,ai.agent}'::text[] ELSE '{ai,ai.agent,ai.autonomy}' END))
        = CASE WHEN d.rule_id IS NULL THEN 2 ELSE 3 END
    AND CASE WHEN d.rule_id IS NULL THEN c.is_auto_reply_enabled ELSE coalesce(r.mode = 'on', false) END
FROM autonomy_decisions d JOIN agent_config c ON c.mailbox_id = d.mailbox_id LEFT JOIN autonomy_rules r ON r.id = d.rule_id
WHERE d.id = $1

-- name: claim_rule
SELECT r.* FROM autonomy_decisions d JOIN autonomy_rules r ON r.id = d.rule_id WHERE d.id = $1

-- name: claim_sent_automatically
SELECT (SELECT count(*) FROM outbox WHERE thread_id = $1 AND automatic AND state IN ('sending', 'sent', 'ambiguous', 'bounced')
        AND decided_at > coalesce((SELECT max(decided_at) FROM outbox WHERE thread_id = $1 AND NOT automatic), '-infinity'))::int
        AS in_thread,
    (SELECT count(*) FROM outbox o JOIN inbound_messages n ON n.id = o.message_id WHERE o.mailbox_id = $2 AND o.automatic
        AND n.from_identity = $3 AND o.claimed_at > now() - interval '24 hours'
        AND o.state IN ('sending', 'sent', 'ambiguous', 'bounced'))::int AS to_sender

-- name: claim_touched
SELECT EXISTS (SELECT 1 FROM thread_presence WHERE thread_id = $1 AND mode = 'replying' AND seen_at > $2)

-- name: claim_text
SELECT text FROM draft_revisions WHERE message_id = $1 AND revision = $2

-- name: claim_take
UPDATE outbox SET state = 'sending', rendered = $2, deadline = $3, attempt = attempt + 1, claimed_at = clock_timestamp(),
    first_handed_over_at = coalesce(first_handed_over_at, clock_timestamp())
WHERE id = $1 AND state = 'ready' RETURNING attempt

-- name: send_sent
UPDATE outbox SET state = 'sent', sent_at = clock_timestamp(), detail = $2, provider_id = $3
WHERE id = $1 AND state IN ('sending', 'ambiguous')

-- name: send_again_later
UPDATE outbox SET state = 'ready', send_at = clock_timestamp() + $2::interval, detail = $3 WHERE id = $1 AND state = 'sending'

-- name: send_refused
UPDATE outbox SET state = 'failed_safe', detail = $2 WHERE id = $1 AND state IN ('ready', 'sending')

-- name: send_ambiguous
UPDATE outbox SET state = 'ambiguous', detail = $2 WHERE id = $1 AND state = 'sending'

-- name: send_alias
INSERT INTO mail_ids (mailbox_id, rfc_id, kind, ref_id, thread_id)
SELECT mailbox_id, $2, 'alias', id, thread_id FROM outbox WHERE id = $1 ON CONFLICT DO NOTHING

-- ---------------------------------------------------------------- relay (RC13)

-- name: relay_starts
SELECT q.workflow_id, q.start_no, q.workflow_type, q.reuse_policy, q.input, q.summary, q.attempts,
    (SELECT a.mailbox_id FROM accepted_mail a WHERE a.message_id = (q.input ->> 'message_id')::uuid) AS mailbox_id
FROM start_queue q
WHERE q.started_at IS NULL AND q.next_try_at <= now() ORDER BY q.created_at LIMIT $1 FOR UPDATE SKIP LOCKED

-- name: relay_started
UPDATE start_queue SET started_at = now(), attempts = attempts + 1 WHERE workflow_id = $1 AND start_no = $2

-- name: relay_start_failed
UPDATE start_queue SET attempts = attempts + 1, next_try_at = now() + $3::interval WHERE workflow_id = $1 AND start_no = $2

-- name: relay_wakes
SELECT id, workflow_id, signal, args, cause, attempts FROM wake_queue
WHERE delivered_at IS NULL AND next_try_at <= now() ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED

-- name: relay_woken
UPDATE wake_queue SET delivered_at = now(), attempts = attempts + 1 WHERE id = $1

-- name: relay_wake_failed
UPDATE wake_queue SET attempts = attempts + 1, next_try_at = now() + $2::interval WHERE id = $1

-- name: relay_backlog
SELECT (SELECT count(*) FROM start_queue WHERE started_at IS NULL) AS starts,
    (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM start_queue WHERE started_at IS NULL) AS oldest_s,
    (SELECT count(*) FROM wake_queue WHERE delivered_at IS NULL) AS wakes

-- name: relay_switches
SELECT s.id, s.mailbox_id, s.thrown_at FROM kill_switches s WHERE s.withdrawn_at IS NULL ORDER BY s.thrown_at LIMIT 20

-- name: relay_switch_pending
SELECT id, message_id FROM outbox WHERE mailbox_id = $1 AND state = 'ready' AND decided_at <= $2 AND reply_slot = 'reply'
    AND id > $3 ORDER BY id LIMIT 100

-- name: relay_switch_done
UPDATE kill_switches SET withdrawn_at = now() WHERE id = $1

-- ---------------------------------------------------------------- sweep (P30)

-- name: sweep_sending
UPDATE outbox SET state = 'ambiguous', detail = 'no answer before the deadline'
WHERE id IN (SELECT id FROM outbox WHERE state = 'sending' AND deadline < now() ORDER BY deadline LIMIT 500 FOR UPDATE SKIP LOCKED)
RETURNING id, message_id, reply_slot

-- name: sweep_replies
-- Replies on closed threads whose workflow was lost: the relay finds out, an open or completed one starts nothing.
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
SELECT q.workflow_id, max(q.start_no) + 1, 'ReplyWorkflow', 'allow_duplicate_failed_only',
    (array_agg(q.input ORDER BY q.start_no))[1], 'started again by the sweep'
FROM outbox o JOIN start_queue q ON q.workflow_id = 'reply/' || o.id
WHERE o.reply_slot LIKE 'followup:%' AND o.state = ANY ($1) AND o.cancel_reason IS NULL
    AND o.send_at BETWEEN now() - interval '30 days' AND now() - interval '2 minutes'
GROUP BY q.workflow_id
HAVING count(*) FILTER (WHERE q.started_at IS NULL OR q.started_at > now() - interval '10 minutes') = 0
ON CONFLICT DO NOTHING

-- name: sweep_overdue
SELECT id, processing_status, coalesce(hold_until, send_at) AS due FROM inbound_messages
WHERE (hold_until < now() - interval '20 seconds'
    OR (send_at < now() - interval '20 seconds' AND processing_status = 'approved' AND hold_reason IS NULL))
    AND processing_status NOT IN ('sent', 'rejected', 'archived')
ORDER BY changed_at LIMIT 500

-- name: sweep_recent
SELECT id FROM inbound_messages
WHERE processing_status NOT IN ('sent', 'rejected', 'archived') AND changed_at BETWEEN now() - $1::interval AND now() - interval '45 seconds'
ORDER BY changed_at LIMIT 1000

-- name: sweep_open_messages
SELECT id FROM (
    (SELECT id FROM inbound_messages
        WHERE processing_status NOT IN ('sent', 'rejected', 'archived') AND id > $1 ORDER BY id LIMIT $2)
    UNION ALL
    (SELECT message_id FROM accepted_mail WHERE account = 'poison' AND message_id > $1 ORDER BY message_id LIMIT $2)
) open ORDER BY id LIMIT $2

-- name: sweep_unreceived
SELECT a.message_id AS id FROM accepted_mail a
JOIN start_queue q ON q.workflow_id = 'message/' || a.message_id AND q.start_no = 0
WHERE a.account = 'accepted' AND q.started_at < now() - interval '60 seconds' ORDER BY a.received_at LIMIT 500

-- name: sweep_restart
WITH newest AS (
    SELECT q.workflow_id FROM generate_series(1, coalesce((SELECT run_no FROM inbound_messages WHERE id = $1::text::uuid), 1)) n
    JOIN start_queue q ON q.workflow_id = 'message/' || $1::text || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC LIMIT 1
)
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
SELECT q.workflow_id, max(q.start_no) + 1, 'InboundMessageWorkflow', 'allow_duplicate_failed_only',
    jsonb_build_object('message_id', $1::text, 'resumed', EXISTS (SELECT 1 FROM inbound_messages WHERE id = $1::text::uuid)),
    'started again by the sweep'
FROM start_queue q JOIN newest USING (workflow_id)
GROUP BY q.workflow_id HAVING count(*) FILTER (WHERE q.started_at IS NULL) = 0
ON CONFLICT DO NOTHING

-- name: sweep_old_outputs
DELETE FROM step_outputs WHERE (message_id, run_no, kind) IN
    (SELECT message_id, run_no, kind FROM step_outputs WHERE created_at < now() - interval '30 days' LIMIT 1000)

-- name: sweep_threads_close
UPDATE conversation_threads t SET status = 'closed' FROM agent_config c
WHERE c.mailbox_id = t.mailbox_id AND t.status = 'resolved'
    AND t.resolved_at < now() - make_interval(days => c.thread_close_after_days)

-- name: sweep_orphan_blobs
DELETE FROM blobs b WHERE b.created_at < now() - interval '24 hours'
    AND NOT EXISTS (SELECT 1 FROM accepted_mail a WHERE a.organisation_id = b.organisation_id AND a.blob_sha256 = b.sha256)
    AND NOT EXISTS (SELECT 1 FROM attachments x WHERE x.sha256 = b.sha256)

-- ---------------------------------------------------------------- ledger of model calls (P110)

-- name: usage_record
INSERT INTO llm_usage (mailbox_id, message_id, run_no, step, task, model, tokens_in, tokens_out, cost_usd, unpriced,
    offline, latency_ms, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)

-- ---------------------------------------------------------------- follow-ups (P97a)

-- name: follow_up_number
SELECT count(DISTINCT reply_slot) + 1 FROM outbox WHERE message_id = $1 AND reply_slot LIKE 'followup:%'

-- name: follow_up_again
INSERT INTO outbox (id, mailbox_id, message_id, thread_id, reply_slot, generation, previous_id, automatic, decided_by,
    decision_id, revision, confirmed_findings, seen_message_id, sender, sender_name, recipients, cc, recipients_hash,
    subject, body_sha256, rfc_message_id, send_at)
SELECT $2, mailbox_id, message_id, thread_id, reply_slot, generation + 1, id, false, $4, decision_id, revision,
    confirmed_findings, seen_message_id, sender, sender_name, recipients, cc, recipients_hash, subject, body_sha256, $3,
    clock_timestamp()
FROM outbox WHERE id = $1

-- name: follow_up_close
UPDATE outbox SET cancel_reason = 'closed by a person' WHERE id = $1 AND state = 'ambiguous' AND cancel_reason IS NULL
RETURNING id

-- name: follow_up_start
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input)
VALUES ($1, 0, 'ReplyWorkflow', 'reject_duplicate',
    jsonb_build_object('outbox_id', $2::uuid, 'message_id', $3::uuid, 'mailbox_id', $4::uuid))
ON CONFLICT DO NOTHING

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
    (SELECT count(*) FROM outbox WHERE thread_id = $2 AND automatic AND state IN ('sent', 'sending', 'ambiguous')
        AND decided_at > coalesce((SELECT max(decided_at) FROM outbox WHERE thread_id = $2 AND NOT automatic), '-infinity'))::int
        AS thread_automatic,
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

-- ---------------------------------------------------------------- sources

-- name: source
SELECT name, kind, paused FROM sources WHERE name = $1

-- name: source_secrets
SELECT sealed FROM webhook_secrets WHERE source = $1 AND retired_at IS NULL ORDER BY created_at DESC LIMIT $2

-- name: source_add
INSERT INTO sources (name, organisation_id, kind) SELECT $1, id, $2 FROM organisations ORDER BY created_at LIMIT 1
ON CONFLICT DO NOTHING

-- name: source_add_secret
INSERT INTO webhook_secrets (source, sealed) VALUES ($1, $2)

-- name: source_retire
UPDATE webhook_secrets SET retired_at = now() WHERE retired_at IS NULL AND source = $1 AND id NOT IN
    (SELECT id FROM webhook_secrets WHERE source = $1 AND retired_at IS NULL ORDER BY created_at DESC LIMIT $2)

-- ---------------------------------------------------------------- news about our own mail (AD2)

-- name: news_outbox
SELECT o.id, o.mailbox_id, o.message_id, o.recipients FROM outbox o
JOIN mailboxes b ON b.id = o.mailbox_id JOIN sources s ON s.organisation_id = b.organisation_id AND s.name = $2
WHERE o.id::text = ANY ($1) OR o.rfc_message_id = ANY ($1) OR o.provider_id = ANY ($1)
    OR o.id IN (SELECT ref_id FROM mail_ids WHERE rfc_id = ANY ($1) AND kind IN ('sent', 'alias')) LIMIT 1

-- name: news_delivered
UPDATE outbox SET delivered_at = coalesce(delivered_at, now()),
    state = CASE WHEN state IN ('ambiguous', 'sending') THEN 'sent' ELSE state END,
    sent_at = coalesce(sent_at, CASE WHEN state IN ('ambiguous', 'sending') THEN now() END)
WHERE id = $1

-- name: news_bounced
UPDATE outbox SET state = 'bounced' WHERE id = $1 AND state IN ('sent', 'ambiguous', 'sending')

-- name: news_complained
UPDATE outbox SET complained_at = coalesce(complained_at, now()) WHERE id = $1

-- name: news_suppress
INSERT INTO address_blocks (mailbox_id, address, kind, reason, by) VALUES ($1, $2, 'suppressed_recipient', $3, 'source')
ON CONFLICT DO NOTHING

-- ================================================================ block: cli
-- What the command line reads and writes besides the REST API: the accounts (GL1-GL5) and the team's own knowledge (P104).

-- name: accounts_snapshot
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY

-- name: accounts_mailboxes
SELECT b.id, b.name, b.address, (SELECT count(*) FROM accepted_mail a WHERE a.mailbox_id = b.id) AS accepted
FROM mailboxes b ORDER BY b.kind, b.address, b.id LIMIT 10000

-- name: accounts_held
SELECT mailbox_id, account, status, hold, archived, sending, count(*) AS mails, min(received_at) AS oldest
FROM (
    SELECT a.mailbox_id, a.account, NULL AS status, NULL AS hold, NULL AS archived, NULL AS sending, a.received_at
    FROM accepted_mail a WHERE a.account <> 'pipeline'
    UNION ALL
    SELECT m.mailbox_id, a.account, m.processing_status, m.hold_reason, m.archive_reason,
        CASE WHEN m.processing_status = 'approved' THEN (SELECT o.state FROM outbox o WHERE o.message_id = m.id
            AND o.reply_slot = 'reply' AND o.state <> 'cancelled' ORDER BY o.generation DESC LIMIT 1) END,
        m.received_at
    FROM inbound_messages m JOIN accepted_mail a ON a.message_id = m.id AND a.account = 'pipeline'
) held
GROUP BY mailbox_id, account, status, hold, archived, sending ORDER BY mailbox_id, account, status LIMIT 100000

-- name: accounts_booked
SELECT count(DISTINCT message_id) AS mails FROM ledger_entries WHERE from_account = ''

-- name: accounts_deliveries
SELECT outcome, count(*) AS deliveries, sum(messages)::bigint AS messages FROM deliveries GROUP BY outcome ORDER BY outcome LIMIT 20

-- name: accounts_vanished
SELECT l.message_id, 'accepted by the ledger, but its row is gone' AS what, count(*) OVER () AS all_of_them
FROM ledger_entries l WHERE l.from_account = '' AND NOT EXISTS (SELECT 1 FROM accepted_mail a WHERE a.message_id = l.message_id)
ORDER BY l.id LIMIT $1

-- name: accounts_unbooked
SELECT a.message_id, 'account ' || a.account || ', by the ledger ' || coalesce(l.to_account, 'none') AS what,
    count(*) OVER () AS all_of_them
FROM accepted_mail a LEFT JOIN LATERAL (
    SELECT to_account FROM ledger_entries WHERE message_id = a.message_id ORDER BY id DESC LIMIT 1) l ON true
WHERE l.to_account IS DISTINCT FROM a.account ORDER BY a.message_id LIMIT $1

-- name: accounts_without_message
SELECT a.message_id, 'in the pipeline, but without a message row in its mailbox' AS what, count(*) OVER () AS all_of_them
FROM accepted_mail a LEFT JOIN inbound_messages m ON m.id = a.message_id AND m.mailbox_id = a.mailbox_id
WHERE a.account = 'pipeline' AND m.id IS NULL ORDER BY a.message_id LIMIT $1

-- name: accounts_in_two
SELECT m.id AS message_id, 'account ' || a.account || ', but with a message row, ' || m.processing_status AS what,
    count(*) OVER () AS all_of_them
FROM inbound_messages m JOIN accepted_mail a ON a.message_id = m.id
WHERE a.account IN ('accepted', 'poison') ORDER BY m.id LIMIT $1

-- name: accounts_without_blob
SELECT a.message_id, 'its bytes ' || CASE WHEN b.sha256 IS NULL THEN 'are gone' ELSE 'are not whole' END AS what,
    count(*) OVER () AS all_of_them
FROM accepted_mail a LEFT JOIN blobs b ON b.organisation_id = a.organisation_id AND b.sha256 = a.blob_sha256
WHERE a.account <> 'deleted' AND (b.sha256 IS NULL OR b.size_bytes IS DISTINCT FROM (SELECT sum(octet_length(c.bytes))
    FROM blob_chunks c WHERE c.organisation_id = a.organisation_id AND c.sha256 = a.blob_sha256))
ORDER BY a.message_id LIMIT $1

-- name: accounts_without_start
SELECT a.message_id, 'no workflow was ever ordered for it' AS what, count(*) OVER () AS all_of_them
FROM accepted_mail a
WHERE a.account <> 'deleted' AND NOT EXISTS (SELECT 1 FROM start_queue q WHERE q.workflow_id = 'message/' || a.message_id)
ORDER BY a.message_id LIMIT $1

-- name: accounts_without_event
SELECT m.id AS message_id, m.processing_status || ', by its events ' || coalesce(e.to_status, 'nothing') AS what,
    count(*) OVER () AS all_of_them
FROM inbound_messages m LEFT JOIN LATERAL (SELECT to_status FROM lifecycle_events
    WHERE message_id = m.id AND accepted AND to_status <> '' ORDER BY seq DESC LIMIT 1) e ON true
WHERE e.to_status IS DISTINCT FROM m.processing_status ORDER BY m.id LIMIT $1

-- name: accounts_sent_without_row
SELECT m.id AS message_id, 'sent, but no order to send it went out' AS what, count(*) OVER () AS all_of_them
FROM inbound_messages m WHERE m.processing_status = 'sent' AND NOT EXISTS (SELECT 1 FROM outbox o
    WHERE o.message_id = m.id AND o.reply_slot = 'reply' AND o.state IN ('sent', 'bounced'))
ORDER BY m.id LIMIT $1

-- name: accounts_row_without_sent
SELECT m.id AS message_id, m.processing_status || ', but its reply went out' AS what, count(*) OVER () AS all_of_them
FROM outbox o JOIN inbound_messages m ON m.id = o.message_id
WHERE o.reply_slot = 'reply' AND o.state IN ('sent', 'bounced') AND m.processing_status NOT IN ('sent', 'archived')
    AND o.sent_at < now() - interval '60 seconds'
ORDER BY m.id LIMIT $1

-- name: accounts_sent_twice
SELECT o.message_id, 'slot ' || o.reply_slot || ' went out ' || count(*) || ' times' AS what, count(*) OVER () AS all_of_them
FROM outbox o WHERE o.state IN ('sent', 'bounced') AND o.previous_id IS NULL
GROUP BY o.mailbox_id, o.message_id, o.reply_slot HAVING count(*) > 1 ORDER BY o.message_id LIMIT $1

-- name: accounts_undecided
SELECT o.message_id, 'handed over without a decision on record' AS what, count(*) OVER () AS all_of_them
FROM outbox o WHERE o.claimed_at IS NOT NULL AND NOT CASE
    WHEN o.automatic THEN EXISTS (SELECT 1 FROM autonomy_decisions d WHERE d.id = o.decision_id AND d.outcome = 'auto_approve')
    WHEN o.reply_slot <> 'reply' OR o.previous_id IS NOT NULL THEN o.decided_by <> ''
    ELSE o.decided_by <> '' AND EXISTS (SELECT 1 FROM lifecycle_events e
        WHERE e.message_id = o.message_id AND e.accepted AND e.to_status = 'approved') END
ORDER BY o.message_id LIMIT $1

-- name: accounts_claimed_after_kill
SELECT o.message_id, 'handed over after the kill switch of ' || k.thrown_at AS what, count(*) OVER () AS all_of_them
FROM outbox o JOIN kill_switches k ON k.mailbox_id = o.mailbox_id AND o.claimed_at > k.thrown_at
WHERE o.decided_at <= k.thrown_at OR (o.automatic AND o.claimed_at < coalesce(k.lifted_at, 'infinity'))
ORDER BY o.message_id LIMIT $1

-- name: accounts_recipients
SELECT id, message_id, recipients, cc, recipients_hash FROM outbox
WHERE claimed_at IS NOT NULL AND id > $1 ORDER BY id LIMIT $2

-- name: knowledge_mailbox
SELECT id, address FROM mailboxes
WHERE kind = 'inbox' AND (($1::text IS NULL AND is_default) OR lower(address) = lower($1) OR name = $1 OR id::text = $1)
ORDER BY address, id LIMIT 2

-- name: knowledge_known
SELECT title, content_sha256, type, said_by, embedding_model FROM knowledge_entries
WHERE mailbox_id = $1 AND contact_id IS NULL AND superseded_by IS NULL AND content_sha256 = ANY ($2) LIMIT 10000

-- name: knowledge_put
INSERT INTO knowledge_entries (mailbox_id, type, trust, said_by, title, content, content_sha256, embedding, embedding_model)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8::text::vector, $9)
ON CONFLICT (mailbox_id, contact_id, title, content_sha256) DO UPDATE
SET type = excluded.type, trust = excluded.trust, said_by = excluded.said_by, superseded_by = NULL,
    embedding = excluded.embedding, embedding_model = excluded.embedding_model
RETURNING id

-- name: knowledge_supersede
UPDATE knowledge_entries SET superseded_by = $4
WHERE mailbox_id = $1 AND contact_id IS NULL AND said_by = $2 AND title = $3 AND content_sha256 <> ALL ($5) AND superseded_by IS NULL

-- name: knowledge_list
SELECT k.id, k.type, k.trust, k.said_by, k.title, k.content, k.superseded_by IS NOT NULL AS superseded, c.address AS contact,
    k.embedding IS NOT NULL AS embedded, k.created_at
FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id
WHERE k.mailbox_id = $1 AND (k.title, k.id) > ($2, $3::uuid) ORDER BY k.title, k.id LIMIT $4

-- name: knowledge_search_text
SELECT k.id, k.type, k.trust, k.said_by, k.title, k.content, k.superseded_by IS NOT NULL AS superseded, c.address AS contact,
    k.embedding IS NOT NULL AS embedded, k.created_at
FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id,
    (SELECT to_tsquery('simple', string_agg(quote_literal(w), ' | ')) AS q
        FROM (SELECT DISTINCT lexeme AS w FROM unnest(to_tsvector('simple', $2)) LIMIT 60) s) t
WHERE k.mailbox_id = $1 AND t.q IS NOT NULL AND k.search @@ t.q
ORDER BY ts_rank_cd(k.search, t.q) DESC, k.id LIMIT $3

-- name: knowledge_search_vector
SELECT k.id, k.type, k.trust, k.said_by, k.title, k.content, k.superseded_by IS NOT NULL AS superseded, c.address AS contact,
    true AS embedded, k.created_at
FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id
WHERE k.mailbox_id = $1 AND k.embedding IS NOT NULL AND k.embedding_model = $3
ORDER BY k.embedding <=> $2::text::vector LIMIT $4

-- ==== block: api
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
SELECT id, run_no, outcome, stage, gate, reason, evidence, verdicts, score, category, would_have_sent, observed, created_at
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
    thread_close_after_days = n.thread_close_after_days
FROM (SELECT (jsonb_populate_record(x, $2)).* FROM agent_config x WHERE x.mailbox_id = $1) n
WHERE c.mailbox_id = $1 AND n.mailbox_id = $1
-- ==== end of block: api

-- ==== block: dashboard
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
-- ==== end of block: dashboard

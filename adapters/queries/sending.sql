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
-- Shared by claims, exclusive for a throw (switch_lock). Waiters of an advisory lock stand in line: a throw that waits lets no
-- new claim past it, which a row lock does.
SELECT pg_advisory_xact_lock_shared(hashtextextended('kill_switch/' || $1::uuid, 0))

-- name: switch_lock
-- Taken before any other lock of its transaction: whoever throws waits for claims alone, and no claim waits for who throws.
SELECT pg_advisory_xact_lock(hashtextextended('kill_switch/' || $1::uuid, 0))

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
        AND decided_at > last_human_action($1))::int AS in_thread,
    (SELECT loop_suspected FROM conversation_threads WHERE id = $1) AS loop_suspected,
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

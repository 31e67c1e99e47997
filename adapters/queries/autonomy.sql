-- Rules, what they have earned, and what people decided about them (P80-P91a). Never a status.

-- name: autonomy_rules
SELECT r.*, s.threshold AS suggested, s.evidence AS suggestion_evidence, s.created_at AS suggested_at
FROM autonomy_rules r LEFT JOIN autonomy_suggestions s ON s.rule_id = r.id
WHERE r.mailbox_id = $1 ORDER BY r.category, r.sender LIMIT 1000

-- name: autonomy_rule
SELECT r.*, s.threshold AS suggested, s.evidence AS suggestion_evidence, s.created_at AS suggested_at
FROM autonomy_rules r LEFT JOIN autonomy_suggestions s ON s.rule_id = r.id
WHERE r.mailbox_id = $1 AND r.category = $2 AND r.sender = $3

-- name: autonomy_rule_lock
SELECT * FROM autonomy_rules WHERE id = $1 FOR UPDATE

-- name: autonomy_rule_new
INSERT INTO autonomy_rules (mailbox_id, category, sender, changed_by) VALUES ($1, $2, $3, $4)
ON CONFLICT (mailbox_id, category, sender) DO NOTHING

-- name: autonomy_rule_set
UPDATE autonomy_rules SET mode = $2, mode_basis = $3, override_reason = $4, auto_approve_threshold = $5,
    max_daily_auto_actions = $6, warmup_required = $7, target_error_rate = $8, working_hours_start = $9,
    working_hours_end = $10, holidays_region = $11, changed_by = $12, version = version + 1,
    mode_since = CASE WHEN mode <> $2 OR auto_approve_threshold <> $5 THEN now() ELSE mode_since END,
    audit_alert = audit_alert AND mode = $2
WHERE id = $1 RETURNING *

-- name: autonomy_observations
-- Everything the rule left to a person, whatever for; what of it is evidence is said in domain/autonomy/counting.py.
SELECT d.score::float8 AS score, d.propensity::float8 AS propensity, d.audit_rate::float8 AS audit_rate, d.stage,
    coalesce(d.evidence ->> 'text', '') AS evidence, d.gate, d.observed, d.created_at AS at,
    NOT EXISTS (SELECT 1 FROM jsonb_each_text(d.verdicts) v WHERE v.value <> '') AS gates_silent,
    CASE f.action WHEN 'approved' THEN true WHEN 'edited' THEN false WHEN 'rejected' THEN false END AS clean
FROM autonomy_decisions d LEFT JOIN autonomy_feedback f ON f.message_id = d.message_id AND f.source = 'human'
    AND f.created_at >= d.created_at
WHERE d.mailbox_id = $1 AND d.category = $2 AND d.rule_id = $3 AND d.created_at >= $4 AND d.score IS NOT NULL
    AND d.outcome = 'human_review' AND d.stage IN ('rules', 'gates')
ORDER BY d.created_at, d.id LIMIT 20000

-- name: autonomy_recent
SELECT d.score::float8 AS score, d.created_at AS at,
    NOT EXISTS (SELECT 1 FROM jsonb_each_text(d.verdicts) v WHERE v.value <> '') AS gates_silent,
    coalesce((SELECT sum(u.cost_usd) FROM llm_usage u WHERE u.message_id = d.message_id), 0) AS cost_usd
FROM autonomy_decisions d
WHERE d.mailbox_id = $1 AND d.category = $2 AND ($3 = '' OR d.sender = $3) AND d.created_at >= $4 AND d.score IS NOT NULL
ORDER BY d.created_at DESC LIMIT 5000

-- name: autonomy_reviews
SELECT f.action = 'rejected' AS rejected, f.created_at AS at
FROM autonomy_feedback f
WHERE f.mailbox_id = $1 AND f.category = $2 AND f.created_at >= $3
    AND ($4 = '' OR EXISTS (SELECT 1 FROM inbound_messages m WHERE m.id = f.message_id AND m.from_identity = $4))
ORDER BY f.created_at DESC LIMIT 200

-- name: autonomy_sender_checked
SELECT EXISTS (SELECT 1 FROM (SELECT auth_verdicts FROM inbound_messages WHERE mailbox_id = $1
    ORDER BY received_at DESC LIMIT 200) m WHERE m.auth_verdicts -> 'dmarc' ->> 'value' IN ('pass', 'fail'))

-- name: autonomy_suggest
INSERT INTO autonomy_suggestions (rule_id, mailbox_id, threshold, evidence) VALUES ($1, $2, $3, $4)
ON CONFLICT (rule_id) DO UPDATE SET threshold = $3, evidence = $4, created_at = now()

-- name: autonomy_suggestion_drop
DELETE FROM autonomy_suggestions WHERE rule_id = $1

-- name: autonomy_enabled
SELECT r.*, b.timezone FROM autonomy_rules r JOIN mailboxes b ON b.id = r.mailbox_id WHERE r.mode <> 'off'
    AND r.id > $1 ORDER BY r.id LIMIT 200

-- name: autonomy_adjusted
UPDATE autonomy_rules SET auto_approve_threshold = $2, changed_by = 'system', version = version + 1, adjusted_at = now(),
    mode_since = now() WHERE id = $1 AND version = $3

-- name: autonomy_looked_at
UPDATE autonomy_rules SET adjusted_at = now() WHERE id = $1

-- name: autonomy_demote
UPDATE autonomy_rules SET mode = 'shadow', mode_basis = NULL, changed_by = 'system', version = version + 1,
    mode_since = now(), evidence_since = now(), audit_alert = false
WHERE id = $1 AND mode = 'on' AND version = $2

-- name: autonomy_alert
UPDATE autonomy_rules SET audit_alert = $2 WHERE id = $1 AND audit_alert <> $2

-- name: autonomy_history
SELECT actor, action, subject, before, after, at FROM audit_log
WHERE mailbox_id = $1 AND at >= now() - interval '400 days' AND subject LIKE 'rule/%' ORDER BY at DESC, id DESC LIMIT 50

-- name: autonomy_open_doors
-- Mailboxes that answer senders nobody verified, because an admin switched `require_sender_auth` off.
SELECT b.id, b.address FROM agent_config c JOIN mailboxes b ON b.id = c.mailbox_id
WHERE c.mailbox_id = ANY ($1) AND NOT c.require_sender_auth AND b.kind = 'inbox' ORDER BY b.address LIMIT 20

-- name: handling_from
SELECT id, mailbox_id, thread_id, subject, from_identity, coalesce(classification ->> 'category', '') AS category
FROM inbound_messages WHERE id = $1

-- name: handling_rules
SELECT * FROM handling_rules WHERE mailbox_id = $1 ORDER BY created_at, id LIMIT 1000

-- name: handling_rule
SELECT * FROM handling_rules WHERE mailbox_id = $1 AND id = $2

-- name: handling_rule_add
INSERT INTO handling_rules (mailbox_id, kind, predicate, text, by, examples) VALUES ($1, $2, $3, $4, $5, $6) RETURNING *

-- name: handling_rule_set
UPDATE handling_rules SET kind = $3, predicate = $4, text = $5, by = $6, examples = $7, version = version + 1
WHERE mailbox_id = $1 AND id = $2 RETURNING *

-- name: handling_rule_delete
DELETE FROM handling_rules WHERE mailbox_id = $1 AND id = $2 RETURNING id

-- name: handling_examples
SELECT id, from_identity, subject, text_body, classification, intents, coalesce(draft_response, '') AS draft FROM inbound_messages
WHERE mailbox_id = $1 AND id = ANY ($2) LIMIT 20

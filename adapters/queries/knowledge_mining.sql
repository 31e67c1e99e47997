-- What is kept of mail, and the work through its history (P106, P108).

-- name: mining_mailboxes
SELECT f.mailbox_id AS id, max(f.changed_at) FILTER (WHERE f.flag = 'ai.knowledge') AS on_since FROM feature_flags f
WHERE f.is_on AND f.flag IN ('ai', 'ai.knowledge') GROUP BY f.mailbox_id HAVING count(*) = 2 ORDER BY f.mailbox_id LIMIT 1000

-- name: mining_flags
SELECT count(*) FILTER (WHERE flag = 'ai.knowledge') + count(*) FILTER (WHERE flag = 'ai') = 2 AS knowledge,
    count(*) FILTER (WHERE flag = 'ai.agent') = 1 AS agent
FROM feature_flags WHERE mailbox_id = $1 AND is_on AND flag IN ('ai', 'ai.agent', 'ai.knowledge')

-- name: mining_due
SELECT m.id FROM inbound_messages m LEFT JOIN knowledge_extractions x ON x.message_id = m.id
WHERE m.mailbox_id = $1 AND m.received_at >= $2::timestamptz - interval '1 day' AND m.received_at > now() - interval '7 days'
    AND m.classification IS NOT NULL AND m.processing_status NOT IN ('received', 'security_check', 'quarantined', 'classifying')
    AND m.archive_reason IS DISTINCT FROM 'spam' AND m.archive_reason IS DISTINCT FROM 'classifier_spam'
    AND (x.message_id IS NULL OR (x.outcome = 'failed' AND x.attempts < 3 AND x.at < now() - interval '5 minutes'))
ORDER BY m.received_at, m.id LIMIT $3

-- name: mining_message
SELECT m.id, m.mailbox_id, m.contact_id, m.new_text, m.text_body, m.language, m.security_flags, m.auth_verdicts,
    m.content_flags, m.automatic_class, m.received_at, m.from_address, k.address AS contact_address,
    k.answered_at AS contact_answered_at, false AS requested_by_person, x.outcome, coalesce(x.attempts, 0) AS attempts
FROM inbound_messages m LEFT JOIN contacts k ON k.id = m.contact_id LEFT JOIN knowledge_extractions x ON x.message_id = m.id
WHERE m.id = $1 AND m.mailbox_id = $2

-- name: mining_mark
INSERT INTO knowledge_extractions AS x (message_id, mailbox_id, outcome, reason, claims) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (message_id) DO UPDATE SET outcome = excluded.outcome, reason = excluded.reason, claims = excluded.claims,
    attempts = x.attempts + 1, at = now()
WHERE x.outcome = 'failed'
RETURNING message_id

-- name: mining_put
INSERT INTO knowledge_entries (mailbox_id, contact_id, type, trust, said_by, source_message_id, language, title, content,
    content_sha256, fingerprint, confidence, created_at, expires_at)
SELECT $1, $2, t.type, 'unverified', $3, $4, $5, t.title, t.content, t.sha256, t.fingerprint, t.confidence, t.said_at,
    t.expires_at
FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::real[], $12::timestamptz[], $13::timestamptz[])
    AS t (type, title, content, sha256, fingerprint, confidence, said_at, expires_at)
ON CONFLICT (mailbox_id, contact_id, title, content_sha256) DO NOTHING

-- ---------------------------------------------------------------- backfill

-- name: backfill_begin
-- The automatic job is made once in a mailbox's life; one by hand whenever none is under way.
INSERT INTO knowledge_backfill_jobs (mailbox_id, automatic, started_by, total)
SELECT $1, $2::boolean, $3, (SELECT count(*) FROM inbound_messages m WHERE m.mailbox_id = $1 AND m.received_at <= now())
ON CONFLICT DO NOTHING RETURNING id, run_no

-- name: backfill_start
INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input, summary)
SELECT 'knowledge-backfill/' || j.id || '/' || j.run_no, 'KnowledgeBackfillWorkflow', 'reject_duplicate',
    jsonb_build_object('job_id', j.id, 'mailbox_id', j.mailbox_id, 'run_no', j.run_no), 'knowledge from earlier mail'
FROM knowledge_backfill_jobs j WHERE j.id = $1
ON CONFLICT DO NOTHING

-- name: backfill_lock
SELECT * FROM knowledge_backfill_jobs WHERE id = $1 AND mailbox_id = $2 FOR UPDATE

-- name: backfill_job
SELECT * FROM knowledge_backfill_jobs WHERE id = $1 AND mailbox_id = $2

-- name: backfill_jobs
SELECT * FROM knowledge_backfill_jobs WHERE mailbox_id = $1 ORDER BY created_at DESC, id DESC LIMIT $2

-- name: backfill_next
SELECT m.id FROM knowledge_backfill_jobs j JOIN inbound_messages m ON m.mailbox_id = j.mailbox_id
WHERE j.id = $1 AND (m.received_at, m.id) > (j.cursor_at, j.cursor_id) AND m.received_at <= j.created_at
ORDER BY m.received_at, m.id LIMIT $2

-- name: backfill_usable
SELECT m.classification IS NOT NULL AND m.processing_status NOT IN ('received', 'security_check', 'quarantined', 'classifying')
    AND m.archive_reason IS DISTINCT FROM 'spam' AND m.archive_reason IS DISTINCT FROM 'classifier_spam' AS usable
FROM inbound_messages m WHERE m.id = $1

-- name: backfill_passed
-- The cursor only moves on, and only for the run that is under way.
UPDATE knowledge_backfill_jobs j SET cursor_at = m.received_at, cursor_id = m.id, scanned = scanned + 1,
    extracted = extracted + $4, skipped = skipped + $5, errors = errors + $6, changed_at = now()
FROM inbound_messages m
WHERE j.id = $1 AND j.run_no = $2 AND m.id = $3 AND j.status IN ('running', 'paused')
    AND (j.cursor_at, j.cursor_id) < (m.received_at, m.id)

-- name: backfill_set
UPDATE knowledge_backfill_jobs SET status = $2, changed_at = now(),
    ended_at = CASE WHEN $2 IN ('cancelled', 'done', 'stopped') THEN now() END
WHERE id = $1

-- name: backfill_resume
UPDATE knowledge_backfill_jobs j SET status = 'running', run_no = run_no + 1, changed_at = now(), ended_at = NULL
WHERE j.id = $1 AND j.status IN ('running', 'paused', 'stopped') AND NOT EXISTS (SELECT 1 FROM knowledge_backfill_jobs o
    WHERE o.mailbox_id = j.mailbox_id AND o.id <> j.id AND o.status IN ('running', 'paused'))

-- name: backfill_wanted
-- Both flags are on and no job was ever made by itself (P108).
SELECT f.mailbox_id AS id FROM feature_flags f
WHERE f.is_on AND f.flag IN ('ai', 'ai.agent', 'ai.knowledge')
    AND NOT EXISTS (SELECT 1 FROM knowledge_backfill_jobs j WHERE j.mailbox_id = f.mailbox_id AND j.automatic)
GROUP BY f.mailbox_id HAVING count(*) = 3 ORDER BY f.mailbox_id LIMIT 1000

-- name: backfill_stale
SELECT id, mailbox_id FROM knowledge_backfill_jobs
WHERE status = 'running' AND changed_at < now() - interval '15 minutes' ORDER BY changed_at LIMIT 100

-- ---------------------------------------------------------------- upkeep

-- name: upkeep_expire
UPDATE knowledge_entries SET retired_at = now()
WHERE mailbox_id = $1 AND expires_at <= now() AND retired_at IS NULL AND superseded_by IS NULL

-- name: upkeep_entries
SELECT k.id, k.contact_id, k.trust, k.content, k.created_at FROM knowledge_entries k
WHERE k.mailbox_id = $1 AND k.superseded_by IS NULL AND k.retired_at IS NULL
    AND (k.expires_at IS NULL OR k.expires_at > now())
ORDER BY k.created_at DESC, k.id LIMIT $2

-- name: upkeep_merge
UPDATE knowledge_entries o SET superseded_by = n.id FROM knowledge_entries n
WHERE o.id = $2 AND n.id = $3 AND o.mailbox_id = $1 AND n.mailbox_id = $1 AND o.contact_id IS NOT DISTINCT FROM n.contact_id
    AND o.trust = 'unverified' AND n.trust = 'unverified' AND o.superseded_by IS NULL AND o.retired_at IS NULL
    AND n.superseded_by IS NULL AND n.retired_at IS NULL AND o.id <> n.id

-- name: upkeep_edge
INSERT INTO knowledge_edges (mailbox_id, contact_id, from_entry, to_entry, relation, provenance, confidence)
VALUES ($1, $2, $3, $4, $5, 'upkeep', $6) ON CONFLICT DO NOTHING

-- name: knowledge_contradictions
SELECT e.id, e.confidence, e.provenance, a.id AS one_id, a.title AS one_title, a.content AS one_content, a.trust AS one_trust,
    a.said_by AS one_said_by, b.id AS other_id, b.title AS other_title, b.content AS other_content, b.trust AS other_trust,
    b.said_by AS other_said_by
FROM knowledge_edges e JOIN knowledge_entries a ON a.id = e.from_entry JOIN knowledge_entries b ON b.id = e.to_entry
WHERE e.mailbox_id = $1 AND e.relation = 'contradicts' AND e.settled_at IS NULL
    AND a.superseded_by IS NULL AND a.retired_at IS NULL AND (a.expires_at IS NULL OR a.expires_at > now())
    AND b.superseded_by IS NULL AND b.retired_at IS NULL AND (b.expires_at IS NULL OR b.expires_at > now())
ORDER BY e.created_at DESC, e.id LIMIT $2

-- name: knowledge_contradiction_settle
UPDATE knowledge_edges SET settled_at = now(), settled_by = $3
WHERE mailbox_id = $1 AND id = $2 AND relation = 'contradicts' AND settled_at IS NULL

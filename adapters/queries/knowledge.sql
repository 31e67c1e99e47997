-- What drafts may be answered from: imported, found again, kept in order (P104, P107).

-- name: knowledge_mailbox
SELECT id, address FROM mailboxes
WHERE kind = 'inbox' AND (($1::text IS NULL AND is_default) OR lower(address) = lower($1) OR name = $1 OR id::text = $1)
ORDER BY address, id LIMIT 2

-- ---------------------------------------------------------------- import

-- name: knowledge_import_lock
SELECT pg_advisory_xact_lock(hashtextextended('knowledge/' || $1::uuid, 0))

-- name: knowledge_document
SELECT id, content_sha256, entry_type, reader, retired_at,
    (SELECT count(*) FROM knowledge_passages p WHERE p.document_id = d.id) AS passages
FROM knowledge_documents d WHERE mailbox_id = $1 AND source = $2

-- name: knowledge_document_put
INSERT INTO knowledge_documents (mailbox_id, source, collection, title, kind, entry_type, language, content_sha256, bytes,
    reader, imported_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
ON CONFLICT (mailbox_id, source) DO UPDATE SET collection = excluded.collection, title = excluded.title, kind = excluded.kind,
    entry_type = excluded.entry_type, language = excluded.language, content_sha256 = excluded.content_sha256,
    bytes = excluded.bytes, reader = excluded.reader, imported_by = excluded.imported_by, imported_at = now(), retired_at = NULL
RETURNING id

-- name: knowledge_held
SELECT k.id, k.title, k.content_sha256, k.type, p.document_id
FROM knowledge_passages p JOIN knowledge_entries k ON k.id = p.entry_id
WHERE p.document_id = $1 ORDER BY p.number LIMIT 20000

-- name: knowledge_known
SELECT k.id, k.title, k.content_sha256, k.type, d.id AS document_id FROM knowledge_entries k
JOIN knowledge_passages p ON p.entry_id = k.id
JOIN knowledge_documents d ON d.id = p.document_id AND d.retired_at IS NULL
WHERE k.mailbox_id = $1 AND k.contact_id IS NULL AND k.content_sha256 = ANY ($2)
    AND k.superseded_by IS NULL AND k.retired_at IS NULL ORDER BY k.id LIMIT 20000

-- name: knowledge_put
INSERT INTO knowledge_entries (mailbox_id, type, trust, said_by, language, title, content, content_sha256, fingerprint)
SELECT $1, $2, $3, $4, $5, t.title, t.content, t.sha256, t.fingerprint
FROM unnest($6::text[], $7::text[], $8::text[], $9::bigint[]) AS t (title, content, sha256, fingerprint)
ON CONFLICT (mailbox_id, contact_id, title, content_sha256) DO UPDATE
SET type = excluded.type, trust = excluded.trust, said_by = excluded.said_by, language = excluded.language,
    fingerprint = excluded.fingerprint, superseded_by = NULL, retired_at = NULL, source_message_id = NULL
RETURNING id, title, content_sha256

-- name: knowledge_passages_clear
DELETE FROM knowledge_passages WHERE document_id = $1

-- name: knowledge_passages_put
INSERT INTO knowledge_passages (document_id, number, mailbox_id, entry_id, page)
SELECT $1, t.number, $2, t.entry_id, t.page FROM unnest($3::integer[], $4::uuid[], $5::integer[]) AS t (number, entry_id, page)

-- name: knowledge_give_way
UPDATE knowledge_entries k SET superseded_by = t.successor, retired_at = NULL
FROM unnest($2::uuid[], $3::uuid[]) AS t (id, successor)
WHERE k.id = t.id AND k.mailbox_id = $1 AND t.id <> t.successor AND k.superseded_by IS NULL
    AND NOT EXISTS (SELECT 1 FROM knowledge_passages p JOIN knowledge_documents d ON d.id = p.document_id
        WHERE p.entry_id = k.id AND d.retired_at IS NULL)

-- name: knowledge_retire_unheld
UPDATE knowledge_entries k SET retired_at = now()
WHERE k.id = ANY ($2) AND k.mailbox_id = $1 AND k.superseded_by IS NULL AND k.retired_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM knowledge_passages p JOIN knowledge_documents d ON d.id = p.document_id
        WHERE p.entry_id = k.id AND d.retired_at IS NULL)

-- name: knowledge_vanished
SELECT id, source FROM knowledge_documents
WHERE mailbox_id = $1 AND collection = $2 AND collection <> '' AND retired_at IS NULL AND source <> ALL ($3)
ORDER BY source LIMIT 20000

-- name: knowledge_document_retire
UPDATE knowledge_documents SET retired_at = now() WHERE mailbox_id = $1 AND id = $2 AND retired_at IS NULL

-- name: knowledge_document_entries
SELECT entry_id FROM knowledge_passages WHERE document_id = $1 ORDER BY number LIMIT 20000

-- name: knowledge_documents_list
SELECT d.id, d.source, d.collection, d.title, d.kind, d.entry_type, d.language, d.bytes, d.imported_by, d.imported_at, d.retired_at,
    (SELECT count(*) FROM knowledge_passages p WHERE p.document_id = d.id) AS passages
FROM knowledge_documents d WHERE d.mailbox_id = $1 AND d.source > $2 AND d.retired_at IS NULL ORDER BY d.source LIMIT $3

-- name: knowledge_import_begin
INSERT INTO knowledge_imports (mailbox_id, name, total, started_by) VALUES ($1, $2, $3, $4) RETURNING id

-- name: knowledge_import_beat
UPDATE knowledge_imports SET total = $2, seen = $3, stored = $4, known = $5, retired = $6, refused = $7, state = $8,
    beat_at = now(), ended_at = CASE WHEN $8 = 'running' THEN NULL ELSE now() END
WHERE id = $1 AND state = 'running'

-- name: knowledge_imports_list
SELECT id, name, CASE WHEN state = 'running' AND beat_at < now() - interval '2 minutes' THEN 'interrupted' ELSE state END AS state,
    total, seen, stored, known, retired, refused, started_by, started_at, ended_at
FROM knowledge_imports WHERE mailbox_id = $1 ORDER BY started_at DESC, id LIMIT $2

-- name: knowledge_import_one
SELECT id, name, CASE WHEN state = 'running' AND beat_at < now() - interval '2 minutes' THEN 'interrupted' ELSE state END AS state,
    total, seen, stored, known, retired, refused, started_by, started_at, ended_at
FROM knowledge_imports WHERE mailbox_id = $1 AND id = $2

-- ---------------------------------------------------------------- vectors

-- name: knowledge_model_seen
INSERT INTO knowledge_models AS m (mailbox_id, model, dimensions, state)
VALUES ($1, $2, $3, CASE WHEN EXISTS (SELECT 1 FROM knowledge_models o WHERE o.mailbox_id = $1 AND o.state = 'serving')
    THEN 'building' ELSE 'serving' END)
ON CONFLICT (mailbox_id, model) DO UPDATE SET state = CASE WHEN m.state = 'leaving' THEN 'building' ELSE m.state END
RETURNING m.dimensions

-- name: knowledge_models
SELECT model, dimensions, state FROM knowledge_models WHERE mailbox_id = $1 AND state <> 'leaving' ORDER BY state DESC, since LIMIT 5

-- name: knowledge_vectors_put
INSERT INTO knowledge_vectors (entry_id, model, mailbox_id, dimensions, embedding)
SELECT t.entry_id, $2, $1, $3, t.embedding::vector
FROM unnest($4::uuid[], $5::text[]) AS t (entry_id, embedding)
WHERE EXISTS (SELECT 1 FROM knowledge_entries k WHERE k.id = t.entry_id AND k.mailbox_id = $1)
ON CONFLICT (entry_id, model) DO UPDATE SET embedding = excluded.embedding

-- name: knowledge_without_vector
SELECT k.id, k.title, k.content FROM knowledge_entries k
WHERE k.mailbox_id = $1 AND k.id > $3::uuid
    AND NOT EXISTS (SELECT 1 FROM knowledge_vectors v WHERE v.entry_id = k.id AND v.model = $2)
ORDER BY k.id LIMIT $4

-- name: knowledge_model_serves
UPDATE knowledge_models SET state = CASE WHEN model = $2 THEN 'serving' ELSE 'leaving' END, since = now()
WHERE mailbox_id = $1 AND state <> CASE WHEN model = $2 THEN 'serving' ELSE 'leaving' END

-- name: knowledge_model_abandoned
UPDATE knowledge_models SET state = 'leaving', since = now() WHERE mailbox_id = $1 AND model <> $2 AND state = 'building'

-- name: knowledge_vectors_leave
DELETE FROM knowledge_vectors WHERE (entry_id, model) IN (
    SELECT v.entry_id, v.model FROM knowledge_vectors v JOIN knowledge_models m ON m.mailbox_id = v.mailbox_id AND m.model = v.model
    WHERE m.mailbox_id = $1 AND m.state = 'leaving' LIMIT $2)

-- name: knowledge_models_left
DELETE FROM knowledge_models m WHERE m.mailbox_id = $1 AND m.state = 'leaving'
    AND NOT EXISTS (SELECT 1 FROM knowledge_vectors v WHERE v.mailbox_id = m.mailbox_id AND v.model = m.model)

-- name: knowledge_mailboxes
SELECT b.id FROM mailboxes b WHERE EXISTS (SELECT 1 FROM knowledge_entries k WHERE k.mailbox_id = b.id) ORDER BY b.id LIMIT 1000

-- name: knowledge_count_words
SELECT knowledge_count_words($1)

-- name: knowledge_words_stale
SELECT abs((SELECT count(*) FROM knowledge_entries k WHERE k.mailbox_id = $1)
    - (SELECT coalesce(sum(entries), 0) FROM knowledge_words w WHERE w.mailbox_id = $1 AND w.word = ''))
    > 0.05 * (SELECT coalesce(sum(entries), 0) FROM knowledge_words w WHERE w.mailbox_id = $1 AND w.word = '')

-- ---------------------------------------------------------------- retrieval

-- name: knowledge_search_way
SELECT coalesce((SELECT graph_retrieval FROM agent_config WHERE mailbox_id = $1), false) AS graph,
    set_config('plan_cache_mode', 'force_custom_plan', true) AS plans

-- name: knowledge_leg_words
SELECT k.id, k.mailbox_id, k.contact_id, k.type, k.trust, k.said_by, k.source_message_id, k.title, k.content, k.valid_from,
    k.expires_at, k.superseded_by, k.retired_at, k.confidence, k.created_at
FROM knowledge_by_words($1, $2, $3, $4, $5, $6, $7) f JOIN knowledge_entries k ON k.id = f.entry_id ORDER BY f.score DESC, k.id

-- name: knowledge_leg_vector
SELECT k.id, k.mailbox_id, k.contact_id, k.type, k.trust, k.said_by, k.source_message_id, k.title, k.content, k.valid_from,
    k.expires_at, k.superseded_by, k.retired_at, k.confidence, k.created_at
FROM (SELECT n.entry_id, min(n.distance) AS distance
    FROM knowledge_nearest($1, $2, $3, $4::text::vector, $5, $6::text[], $7) n GROUP BY n.entry_id) f
JOIN knowledge_entries k ON k.id = f.entry_id ORDER BY f.distance, k.id LIMIT $7

-- name: knowledge_leg_graph
SELECT k.id, k.mailbox_id, k.contact_id, k.type, k.trust, k.said_by, k.source_message_id, k.title, k.content,
    k.valid_from, k.expires_at, k.superseded_by, k.retired_at, k.confidence, k.created_at, min(e.place) AS place
FROM (SELECT e.to_entry AS id, e.contact_id, f.place FROM unnest($3::uuid[]) WITH ORDINALITY f (id, place)
        JOIN knowledge_edges e ON e.from_entry = f.id AND e.mailbox_id = $1 AND e.relation <> 'supersedes'
    UNION ALL SELECT e.from_entry, e.contact_id, f.place FROM unnest($3::uuid[]) WITH ORDINALITY f (id, place)
        JOIN knowledge_edges e ON e.to_entry = f.id AND e.mailbox_id = $1) e
JOIN knowledge_entries k ON k.id = e.id
WHERE k.mailbox_id = $1 AND (k.contact_id IS NULL OR k.contact_id = $2) AND (e.contact_id IS NULL OR e.contact_id = $2)
    AND k.id <> ALL ($3) AND ($4 OR (k.superseded_by IS NULL AND k.retired_at IS NULL
        AND (k.expires_at IS NULL OR k.expires_at > now()) AND (k.valid_from IS NULL OR k.valid_from <= now())))
GROUP BY k.id ORDER BY place, k.id LIMIT $5

-- name: knowledge_places
SELECT p.entry_id, d.id AS document_id, d.source, d.title AS document, p.number, p.page
FROM knowledge_passages p JOIN knowledge_documents d ON d.id = p.document_id AND d.retired_at IS NULL
WHERE p.entry_id = ANY ($1) ORDER BY p.entry_id, d.source, p.number LIMIT 500

-- ---------------------------------------------------------------- people look and decide

-- name: knowledge_list
SELECT k.id, k.type, k.trust, k.said_by, k.title, k.content, c.address AS contact, k.superseded_by IS NOT NULL AS superseded,
    k.retired_at IS NOT NULL AS retired, coalesce(k.expires_at <= now(), false) AS expired, k.promoted_by, k.created_at,
    EXISTS (SELECT 1 FROM knowledge_vectors v WHERE v.entry_id = k.id) AS embedded
FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id
WHERE k.mailbox_id = $1 AND (k.title, k.id) > ($2, $3::uuid)
    AND ($5 = '' OR k.trust = $5) AND ($6 OR (k.superseded_by IS NULL AND k.retired_at IS NULL))
ORDER BY k.title, k.id LIMIT $4

-- name: knowledge_shown
SELECT k.id, k.promoted_by, c.address AS contact, EXISTS (SELECT 1 FROM knowledge_vectors v WHERE v.entry_id = k.id) AS embedded
FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id WHERE k.id = ANY ($1) LIMIT 100

-- name: knowledge_counts
SELECT count(*) FILTER (WHERE trust = 'policy') AS policy, count(*) FILTER (WHERE trust = 'verified') AS verified,
    count(*) FILTER (WHERE trust = 'unverified') AS unverified
FROM knowledge_entries WHERE mailbox_id = $1 AND superseded_by IS NULL AND retired_at IS NULL

-- name: knowledge_entry
SELECT k.*, c.address AS contact FROM knowledge_entries k LEFT JOIN contacts c ON c.id = k.contact_id
WHERE k.mailbox_id = $1 AND k.id = $2 FOR UPDATE OF k

-- name: knowledge_promote
UPDATE knowledge_entries SET trust = $3, type = CASE WHEN $3 = 'policy' THEN 'policy' ELSE type END, contact_id = $4,
    promoted_by = $5, promoted_at = now()
WHERE mailbox_id = $1 AND id = $2

-- name: knowledge_demote
UPDATE knowledge_entries SET trust = 'unverified', type = $3, contact_id = $4, promoted_by = NULL, promoted_at = NULL
WHERE mailbox_id = $1 AND id = $2

-- name: knowledge_retire
UPDATE knowledge_entries SET retired_at = now() WHERE mailbox_id = $1 AND id = $2 AND retired_at IS NULL

-- name: knowledge_restore
UPDATE knowledge_entries SET retired_at = NULL WHERE mailbox_id = $1 AND id = $2 AND retired_at IS NOT NULL

-- name: knowledge_audit
INSERT INTO audit_log (mailbox_id, actor, action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6)

-- name: knowledge_last_promotion
SELECT before FROM audit_log WHERE mailbox_id = $1 AND action = 'knowledge_promoted' AND subject = $2 ORDER BY at DESC LIMIT 1

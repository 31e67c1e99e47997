-- Attachments as text, for the contact that sent them (P62, P64).

-- name: files_due
SELECT a.message_id, a.n, a.name, a.sha256, a.mailbox_id, m.contact_id, b.organisation_id
FROM inbound_messages m JOIN attachments a ON a.message_id = m.id JOIN mailboxes b ON b.id = m.mailbox_id
WHERE m.mailbox_id = $1 AND m.received_at >= $2::timestamptz - interval '1 day' AND m.received_at > now() - interval '7 days'
    AND m.classification IS NOT NULL AND m.processing_status NOT IN ('received', 'security_check', 'quarantined', 'classifying')
    AND m.archive_reason IS DISTINCT FROM 'spam' AND m.archive_reason IS DISTINCT FROM 'classifier_spam'
    AND m.contact_id IS NOT NULL AND m.automatic_class = 'none' AND a.sha256 <> '' AND a.size_bytes BETWEEN 1 AND 33554432
    AND (m.security_flags ->> 'combined_score')::numeric < 0.30 AND NOT 'unauthenticated' = ANY (m.content_flags)
    AND m.auth_verdicts -> 'dmarc' ->> 'value' IS DISTINCT FROM 'fail'
    AND NOT EXISTS (SELECT 1 FROM source_files f WHERE f.message_id = a.message_id AND f.n = a.n)
ORDER BY m.received_at, a.message_id, a.n LIMIT $3

-- name: files_put
INSERT INTO source_files (mailbox_id, contact_id, message_id, n, sha256, name, title, summary, refused)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING RETURNING id

-- name: files_put_chunks
INSERT INTO source_file_chunks (file_id, mailbox_id, number, content)
SELECT $1, $2, t.number, t.content FROM unnest($3::text[]) WITH ORDINALITY AS t (content, number)

-- name: files_found
-- Scope stands in the statement; the briefing checks it again. Among the newest two hundred files of the contact.
SELECT f.id, f.name, f.title, f.summary, f.contact_id FROM (
    SELECT * FROM source_files WHERE mailbox_id = $1 AND contact_id = $2 AND refused = '' ORDER BY created_at DESC LIMIT 200) f
CROSS JOIN LATERAL (SELECT max(ts_rank(setweight(to_tsvector('pg_catalog.simple', f.name || ' ' || f.title || ' ' || f.summary), 'B')
        || c.search, q.words)) AS likeness
    FROM source_file_chunks c, (SELECT replace(plainto_tsquery('pg_catalog.simple', $3)::text, '&', '|')::tsquery AS words) q
    WHERE c.file_id = f.id) s
WHERE s.likeness > 0 ORDER BY s.likeness DESC, f.created_at DESC, f.id LIMIT $4

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

-- name: parse_leave_lane
-- What a person had read after all is no poison from this moment on, in the mailbox it stands in now (GL1, RC11a).
WITH freed AS (
    UPDATE accepted_mail SET account = 'accepted', poison_reason = NULL, poison_detail = NULL
    WHERE message_id = $1 AND account = 'poison' RETURNING message_id, mailbox_id
)
INSERT INTO ledger_entries (mailbox_id, message_id, from_account, to_account, cause)
SELECT mailbox_id, message_id, 'poison', 'accepted', $2 FROM freed

-- name: parse_bounced_outbox
SELECT o.id, o.mailbox_id, o.message_id, o.recipients FROM (
    SELECT ref_id AS id FROM mail_ids WHERE mailbox_id = $1 AND rfc_id = ANY ($2) AND kind IN ('sent', 'alias')
    UNION SELECT CASE WHEN $3 ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN $3::text::uuid END
) found JOIN outbox o ON o.id = found.id LIMIT 1

-- name: parse_flag
UPDATE accepted_mail SET flags = array_append(flags, $2) WHERE message_id = $1 AND NOT ($2 = ANY (flags))

-- name: parse_move_mailbox
UPDATE accepted_mail SET mailbox_id = $2 WHERE message_id = $1

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
-- Each kind of id by its own index: the provider's, our Message-ID or the alias a relay gave it, and the row's own id.
SELECT o.id, o.mailbox_id, o.message_id, o.recipients FROM (
    SELECT p.id FROM outbox p WHERE p.provider_id = ANY ($1)
    UNION SELECT p.id FROM outbox p WHERE p.rfc_message_id = ANY ($1)
    UNION SELECT ref_id FROM mail_ids WHERE rfc_id = ANY ($1) AND kind IN ('sent', 'alias')
    UNION SELECT CASE WHEN i ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' THEN i::uuid END FROM unnest($1::text[]) i
) found JOIN outbox o ON o.id = found.id
JOIN mailboxes b ON b.id = o.mailbox_id JOIN sources s ON s.organisation_id = b.organisation_id AND s.name = $2 LIMIT 1

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

-- name: outcome_rejected
-- An automatic reply went wrong (P89): incident, outcome row and the sender's rule off, once per reply and kind, so that
-- news told twice does not switch off again what a person switched on meanwhile.
WITH reply AS (
    SELECT o.id, o.mailbox_id, o.message_id, m.from_identity AS sender, m.confidence_score,
        coalesce(m.classification ->> 'category', 'other') AS category
    FROM outbox o JOIN inbound_messages m ON m.id = o.message_id WHERE o.id = $1 AND o.automatic
), opened AS (
    INSERT INTO incidents (mailbox_id, kind, outbox_id, message_id, caused_by, sender, category)
    SELECT mailbox_id, $2, id, message_id, $3, sender, category FROM reply ON CONFLICT DO NOTHING RETURNING outbox_id
), counted AS (
    INSERT INTO autonomy_feedback (message_id, mailbox_id, source, action, category, agent_confidence)
    SELECT r.message_id, r.mailbox_id, 'outcome', 'rejected', r.category, r.confidence_score
    FROM reply r JOIN opened n ON n.outbox_id = r.id ON CONFLICT DO NOTHING
), narrowed AS (
    INSERT INTO autonomy_rules (mailbox_id, category, sender, mode, changed_by)
    SELECT r.mailbox_id, r.category, r.sender, 'off', 'incident' FROM reply r JOIN opened n ON n.outbox_id = r.id WHERE r.sender <> ''
    ON CONFLICT (mailbox_id, category, sender) DO UPDATE SET mode = 'off', mode_basis = NULL, changed_by = 'incident',
        mode_since = now(), audit_alert = false, version = autonomy_rules.version + 1 WHERE autonomy_rules.mode <> 'off'
), widened AS (
    UPDATE autonomy_rules a SET mode = 'off', mode_basis = NULL, changed_by = 'incident', mode_since = now(),
        audit_alert = false, version = a.version + 1
    FROM reply r JOIN opened n ON n.outbox_id = r.id
    WHERE a.mailbox_id = r.mailbox_id AND a.sender = r.sender AND a.category <> r.category AND a.mode <> 'off' AND r.sender <> ''
)
SELECT count(*) FROM opened

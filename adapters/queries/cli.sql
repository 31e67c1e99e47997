-- What the command line reads and writes besides the REST API: the accounts (GL1-GL5).

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

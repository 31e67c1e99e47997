-- What the settings pages read and change beside the API's statements; every change goes into audit_log in its transaction.

-- name: settings_new_id
SELECT uuidv7()

-- name: settings_mailboxes
SELECT b.id, b.address, b.name, b.timezone, b.is_default,
    ARRAY(SELECT a.address FROM mailbox_addresses a WHERE a.mailbox_id = b.id ORDER BY a.address LIMIT 200) AS addresses,
    (SELECT count(*) = 2 FROM feature_flags f WHERE f.mailbox_id = b.id AND f.flag IN ('ai', 'ai.agent') AND f.is_on) AS agent_on,
    EXISTS (SELECT 1 FROM kill_switches k WHERE k.mailbox_id = b.id AND k.lifted_at IS NULL) AS stopped
FROM mailboxes b WHERE b.organisation_id = $1 AND b.kind = 'inbox' AND ($2::uuid IS NULL OR b.id = $2)
ORDER BY b.is_default DESC, b.address LIMIT 500

-- name: settings_mailbox_add
INSERT INTO mailboxes (id, organisation_id, address, name, timezone) VALUES ($1, $2, $3, $4, $5)

-- name: settings_config_add
INSERT INTO agent_config (mailbox_id) VALUES ($1)

-- name: settings_breaker_add
INSERT INTO agent_circuit_breakers (mailbox_id, kind, threshold, window_s, min_sample, cool_down_s, probe_limit)
VALUES ($1, $2, $3::text::numeric, $4, $5, $6, $7)

-- name: settings_mailbox_lock
SELECT name, timezone, address FROM mailboxes WHERE id = $1 FOR UPDATE

-- name: settings_mailbox_set
UPDATE mailboxes SET name = $2, timezone = $3 WHERE id = $1

-- name: settings_address_add
INSERT INTO mailbox_addresses (organisation_id, address, mailbox_id) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING RETURNING mailbox_id

-- name: settings_address_of
SELECT b.address FROM mailbox_addresses a JOIN mailboxes b ON b.id = a.mailbox_id
WHERE a.organisation_id = $1 AND a.address = $2

-- name: settings_address_remove
DELETE FROM mailbox_addresses WHERE organisation_id = $1 AND address = $2 AND mailbox_id = $3

-- name: settings_sources
-- The last delivery is looked for among the newest five thousand.
SELECT s.name, s.kind, s.paused, s.created_at, d.last_at FROM sources s
LEFT JOIN (SELECT x.source, max(x.at) AS last_at FROM (SELECT source, at FROM deliveries ORDER BY at DESC LIMIT 5000) x
    GROUP BY x.source) d ON d.source = s.name
WHERE s.organisation_id = $1 AND s.kind IN ('mta', 'raw') AND ($2::text IS NULL OR s.name = $2)
ORDER BY s.name LIMIT 200

-- name: settings_secrets
SELECT id, source, created_at FROM webhook_secrets WHERE source = ANY ($1) AND retired_at IS NULL
ORDER BY source, created_at DESC, id DESC LIMIT 1000

-- name: settings_source_add
INSERT INTO sources (name, organisation_id, kind) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING name

-- name: settings_source_lock
SELECT name, kind, paused FROM sources WHERE name = $1 AND organisation_id = $2 FOR UPDATE

-- name: settings_source_pause
UPDATE sources SET paused = $2 WHERE name = $1

-- name: settings_secret_add
INSERT INTO webhook_secrets (source, sealed) VALUES ($1, $2) RETURNING id

-- name: settings_secret_revoke
UPDATE webhook_secrets SET retired_at = now() WHERE id = $1 AND source = $2 AND retired_at IS NULL RETURNING id

-- name: settings_history
-- Changes of settings, newest first: no decision on a message, no thread, nobody coming or going.
SELECT a.id, a.at, a.action, a.subject, a.before, a.after, b.address,
    coalesce(nullif(u.name, ''), u.email, a.actor) AS who
FROM audit_log a LEFT JOIN mailboxes b ON b.id = a.mailbox_id LEFT JOIN users u ON 'user:' || u.id = a.actor
WHERE a.subject NOT LIKE 'message/%' AND a.subject NOT LIKE 'thread/%' AND a.action NOT IN ('sign_in', 'sign_out')
    AND (a.mailbox_id IS NULL OR a.mailbox_id = ANY ($1)) AND ($2::uuid IS NULL OR a.id < $2)
ORDER BY a.id DESC LIMIT $3

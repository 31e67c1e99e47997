-- People and their ways in: roles, one-time links, identities at a provider, lost tokens. Never a status.

-- name: people_list
SELECT u.id, u.email, u.name, u.role, u.disabled_at, u.created_at, u.password_hash IS NOT NULL AS has_password,
    (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.ended_at IS NULL
        AND s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days') AS sessions,
    (SELECT max(s.seen_at) FROM sessions s WHERE s.user_id = u.id) AS seen_at,
    (SELECT max(l.expires_at) FROM password_links l WHERE l.user_id = u.id AND l.used_at IS NULL AND l.voided_at IS NULL
        AND l.expires_at > now()) AS link_until,
    (SELECT count(*) FROM user_identities i WHERE i.user_id = u.id) AS identities
FROM users u WHERE u.organisation_id = $1 ORDER BY u.disabled_at IS NOT NULL, lower(u.email), u.id LIMIT 500

-- name: people_one
SELECT id, email, name, role, disabled_at FROM users WHERE id = $1 AND organisation_id = $2 FOR UPDATE

-- name: people_me
SELECT u.id, u.email, u.name, u.role, u.password_hash,
    (SELECT count(*) FROM sessions s WHERE s.user_id = u.id AND s.ended_at IS NULL
        AND s.seen_at > now() - interval '12 hours' AND s.created_at > now() - interval '7 days') AS sessions
FROM users u WHERE u.id = $1

-- name: people_others_end
UPDATE sessions SET ended_at = now(), flash = NULL, undo = NULL
WHERE user_id = $1 AND id_hash <> $2 AND ended_at IS NULL

-- name: people_named
SELECT u.id, u.organisation_id, u.email, u.name, u.role, u.disabled_at FROM users u
WHERE lower(u.email) = $1 ORDER BY u.disabled_at IS NOT NULL, u.id LIMIT 1

-- name: people_add
INSERT INTO users (organisation_id, email, name, role)
SELECT $1, $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.organisation_id = $1 AND lower(u.email) = $2)
ON CONFLICT DO NOTHING RETURNING id, email, name, role, password_hash

-- name: people_admins
-- Administrators who can sign in; locked, so that two of them cannot remove each other.
SELECT u.id FROM users u WHERE u.organisation_id = $1 AND u.role = 'admin' AND u.disabled_at IS NULL
    AND (u.password_hash IS NOT NULL OR EXISTS (SELECT 1 FROM user_identities i WHERE i.user_id = u.id))
ORDER BY u.id LIMIT 1000 FOR UPDATE OF u

-- name: people_role_set
UPDATE users SET role = $2 WHERE id = $1

-- name: people_disable
UPDATE users SET disabled_at = coalesce(disabled_at, now()) WHERE id = $1

-- name: people_enable
UPDATE users SET disabled_at = NULL WHERE id = $1

-- name: people_sessions_end
UPDATE sessions SET ended_at = now(), flash = NULL, undo = NULL WHERE user_id = $1 AND ended_at IS NULL

-- name: people_links_void
UPDATE password_links SET voided_at = now() WHERE user_id = $1 AND used_at IS NULL AND voided_at IS NULL

-- name: people_link_add
INSERT INTO password_links (token_hash, user_id, made_by, expires_at)
VALUES ($1, $2, $3, now() + make_interval(hours => $4)) RETURNING expires_at

-- name: people_link
SELECT l.expires_at, u.email, u.name FROM password_links l JOIN users u ON u.id = l.user_id
WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.voided_at IS NULL AND l.expires_at > now() AND u.disabled_at IS NULL

-- name: people_link_use
UPDATE password_links l SET used_at = now() FROM users u
WHERE l.token_hash = $1 AND l.used_at IS NULL AND l.voided_at IS NULL AND l.expires_at > now()
    AND u.id = l.user_id AND u.disabled_at IS NULL
RETURNING l.user_id

-- name: people_password_set
UPDATE users SET password_hash = $2 WHERE id = $1 RETURNING id, email, name, role, password_hash

-- name: people_newcomer
-- The oldest administrator, where none can sign in yet.
SELECT u.id, u.email FROM users u WHERE u.role = 'admin' AND u.disabled_at IS NULL
    AND NOT EXISTS (SELECT 1 FROM users a WHERE a.role = 'admin' AND a.disabled_at IS NULL AND (a.password_hash IS NOT NULL
        OR EXISTS (SELECT 1 FROM user_identities i WHERE i.user_id = a.id)))
ORDER BY u.created_at, u.id LIMIT 1

-- name: people_organisation
SELECT id FROM organisations ORDER BY created_at, id LIMIT 1

-- name: people_oidc_begin
WITH old AS (DELETE FROM oidc_attempts WHERE created_at < now() - interval '10 minutes')
INSERT INTO oidc_attempts (state_hash, browser_hash, next_page, kept) VALUES ($1, $2, $3, $4)

-- name: people_oidc_take
DELETE FROM oidc_attempts WHERE state_hash = $1 AND browser_hash = $2
RETURNING next_page, kept, created_at > now() - interval '10 minutes' AS fresh

-- name: people_identity
UPDATE user_identities i SET used_at = now(), email = $3 FROM users u
WHERE i.issuer = $1 AND i.subject = $2 AND u.id = i.user_id
RETURNING u.id, u.organisation_id, u.email, u.name, u.role, u.password_hash, u.disabled_at

-- name: people_by_email
SELECT u.id, u.organisation_id, u.email, u.name, u.role, u.password_hash, u.disabled_at,
    EXISTS (SELECT 1 FROM user_identities i WHERE i.user_id = u.id AND i.issuer = $2) AS linked
FROM users u WHERE lower(u.email) = $1 ORDER BY u.disabled_at IS NOT NULL, u.id LIMIT 1 FOR UPDATE OF u

-- name: people_identity_add
INSERT INTO user_identities (issuer, subject, user_id, email, used_at) VALUES ($1, $2, $3, $4, now())

-- name: people_identities_drop
DELETE FROM user_identities WHERE user_id = $1

-- name: people_tokens
SELECT t.id, t.user_id, u.email, u.name AS person, u.role, u.disabled_at, t.name, t.scopes, t.created_at, t.expires_at,
    t.last_used_at, t.revoked_at, coalesce(t.expires_at < now(), false) AS expired
FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE u.organisation_id = $1
ORDER BY t.revoked_at IS NOT NULL OR coalesce(t.expires_at < now(), false), t.id DESC LIMIT 500

-- name: people_tokens_named
UPDATE api_tokens SET revoked_at = now() WHERE user_id = $1 AND name = $2 AND revoked_at IS NULL RETURNING id

-- name: people_source_kind
SELECT kind FROM sources WHERE name = $1

-- name: people_source_names
SELECT name FROM sources ORDER BY name LIMIT 100

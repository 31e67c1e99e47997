-- Replies of people as examples of how this mailbox writes (P73a, HW11).

-- name: voice_candidates
-- To the same contact, or released for everybody; never of the conversation at hand, which the context shows anyway.
SELECT m.id, m.subject, coalesce(nullif(m.new_text, ''), m.text_body) AS asked, r.text AS reply, o.sent_at, v.message_id IS NOT NULL AS released
FROM (SELECT * FROM outbox WHERE mailbox_id = $1 AND state = 'sent' AND NOT automatic AND reply_slot = 'reply'
        ORDER BY sent_at DESC LIMIT 500) o
JOIN inbound_messages m ON m.id = o.message_id
JOIN draft_revisions r ON r.message_id = o.message_id AND r.revision = o.revision
LEFT JOIN voice_releases v ON v.message_id = o.message_id AND v.mailbox_id = $1
WHERE (SELECT voice_examples FROM agent_config WHERE mailbox_id = $1)
    AND (v.message_id IS NOT NULL OR ($2::uuid IS NOT NULL AND m.contact_id = $2)) AND o.thread_id <> $3
ORDER BY o.sent_at DESC, m.id LIMIT 50

-- name: voice_sent_by_people
SELECT o.message_id FROM outbox o
WHERE o.message_id = $2 AND o.mailbox_id = $1 AND o.state = 'sent' AND NOT o.automatic AND o.reply_slot = 'reply' LIMIT 1

-- name: voice_release
INSERT INTO voice_releases (mailbox_id, message_id, released_by) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING

-- name: voice_withdraw
DELETE FROM voice_releases WHERE mailbox_id = $1 AND message_id = $2

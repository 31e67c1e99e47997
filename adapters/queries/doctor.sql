-- What `deskhand doctor` asks: the ways in, what became of its own sample, and the domains we write from (AD8, SE8).

-- name: doctor_sources
SELECT s.name, s.kind, (SELECT b.address FROM mailboxes b WHERE b.organisation_id = s.organisation_id AND b.kind = 'inbox'
    ORDER BY b.is_default DESC, b.created_at LIMIT 1) AS address
FROM sources s WHERE NOT s.paused AND (s.kind = 'raw' OR (s.kind, s.name) = ('mta', 'mta')) ORDER BY s.name LIMIT 50

-- name: doctor_sample
SELECT a.account, a.poison_reason, m.processing_status AS status, m.hold_reason AS hold
FROM accepted_mail a LEFT JOIN inbound_messages m ON m.id = a.message_id WHERE a.message_id = $1

-- name: doctor_domains
SELECT DISTINCT split_part(address, '@', 2) AS domain FROM mailboxes WHERE kind = 'inbox' AND address LIKE '%@%' ORDER BY 1 LIMIT 50

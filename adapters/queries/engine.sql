-- ---------------------------------------------------------------- relay (RC13)

-- name: relay_starts
SELECT q.workflow_id, q.start_no, q.workflow_type, q.reuse_policy, q.input, q.summary, q.attempts,
    (SELECT a.mailbox_id FROM accepted_mail a WHERE a.message_id = (q.input ->> 'message_id')::uuid) AS mailbox_id
FROM start_queue q
WHERE q.started_at IS NULL AND q.next_try_at <= now() ORDER BY q.created_at LIMIT $1 FOR UPDATE SKIP LOCKED

-- name: relay_started
UPDATE start_queue SET started_at = now(), attempts = attempts + 1 WHERE workflow_id = $1 AND start_no = $2

-- name: relay_start_failed
UPDATE start_queue SET attempts = attempts + 1, next_try_at = now() + $3::interval WHERE workflow_id = $1 AND start_no = $2

-- name: relay_wakes
SELECT id, workflow_id, signal, args, cause, attempts FROM wake_queue
WHERE delivered_at IS NULL AND next_try_at <= now() ORDER BY created_at LIMIT $1 FOR UPDATE SKIP LOCKED

-- name: relay_woken
UPDATE wake_queue SET delivered_at = now(), attempts = attempts + 1 WHERE id = $1

-- name: relay_wake_failed
UPDATE wake_queue SET attempts = attempts + 1, next_try_at = now() + $2::interval WHERE id = $1

-- name: relay_backlog
SELECT (SELECT count(*) FROM start_queue WHERE started_at IS NULL) AS starts,
    (SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM start_queue WHERE started_at IS NULL) AS oldest_s,
    (SELECT count(*) FROM wake_queue WHERE delivered_at IS NULL) AS wakes

-- name: relay_switches
SELECT s.id, s.mailbox_id, s.thrown_at FROM kill_switches s WHERE s.withdrawn_at IS NULL ORDER BY s.thrown_at LIMIT 20

-- name: relay_switch_pending
SELECT id, message_id FROM outbox WHERE mailbox_id = $1 AND state = 'ready' AND decided_at <= $2 AND reply_slot = 'reply'
    AND id > $3 ORDER BY id LIMIT 100

-- name: relay_switch_done
UPDATE kill_switches SET withdrawn_at = now() WHERE id = $1

-- ---------------------------------------------------------------- sweep (P30)

-- name: sweep_sending
UPDATE outbox SET state = 'ambiguous', detail = 'no answer before the deadline'
WHERE id IN (SELECT id FROM outbox WHERE state = 'sending' AND deadline < now() ORDER BY deadline LIMIT 500 FOR UPDATE SKIP LOCKED)
RETURNING id, message_id, reply_slot

-- name: sweep_replies
-- Replies on closed threads whose workflow was lost: the relay finds out, an open or completed one starts nothing.
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
SELECT q.workflow_id, max(q.start_no) + 1, 'ReplyWorkflow', 'allow_duplicate_failed_only',
    (array_agg(q.input ORDER BY q.start_no))[1], 'started again by the sweep'
FROM outbox o JOIN start_queue q ON q.workflow_id = 'reply/' || o.id
WHERE o.reply_slot LIKE 'followup:%' AND o.state = ANY ($1) AND o.cancel_reason IS NULL
    AND o.send_at BETWEEN now() - interval '30 days' AND now() - interval '2 minutes'
GROUP BY q.workflow_id
HAVING count(*) FILTER (WHERE q.started_at IS NULL OR q.started_at > now() - interval '10 minutes') = 0
ON CONFLICT DO NOTHING

-- name: sweep_overdue
SELECT id, processing_status, coalesce(hold_until, send_at) AS due FROM inbound_messages
WHERE (hold_until < now() - interval '20 seconds'
    OR (send_at < now() - interval '20 seconds' AND processing_status = 'approved' AND hold_reason IS NULL))
    AND processing_status NOT IN ('sent', 'rejected', 'archived')
ORDER BY changed_at LIMIT 500

-- name: sweep_recent
SELECT id FROM inbound_messages
WHERE processing_status NOT IN ('sent', 'rejected', 'archived') AND changed_at BETWEEN now() - $1::interval AND now() - interval '45 seconds'
ORDER BY changed_at LIMIT 1000

-- name: sweep_open_messages
SELECT id FROM (
    (SELECT id FROM inbound_messages
        WHERE processing_status NOT IN ('sent', 'rejected', 'archived') AND id > $1 ORDER BY id LIMIT $2)
    UNION ALL
    (SELECT message_id FROM accepted_mail WHERE account = 'poison' AND message_id > $1 ORDER BY message_id LIMIT $2)
) open ORDER BY id LIMIT $2

-- name: sweep_unreceived
SELECT a.message_id AS id FROM accepted_mail a
JOIN start_queue q ON q.workflow_id = 'message/' || a.message_id AND q.start_no = 0
WHERE a.account = 'accepted' AND q.started_at < now() - interval '60 seconds' ORDER BY a.received_at LIMIT 500

-- name: sweep_restart
INSERT INTO start_queue (workflow_id, start_no, workflow_type, reuse_policy, input, summary)
SELECT q.workflow_id, max(q.start_no) + 1, 'InboundMessageWorkflow', 'allow_duplicate_failed_only',
    jsonb_build_object('message_id', $1::text, 'resumed', EXISTS (SELECT 1 FROM inbound_messages WHERE id = $1::text::uuid)),
    'started again by the sweep'
FROM start_queue q WHERE q.workflow_id = message_workflow($1::text::uuid)
GROUP BY q.workflow_id HAVING count(*) FILTER (WHERE q.started_at IS NULL) = 0
ON CONFLICT DO NOTHING

-- name: engine_workflows
SELECT id, message_workflow(id) AS workflow_id FROM unnest($1::uuid[]) id

-- name: sweep_old_outputs
DELETE FROM step_outputs WHERE (message_id, run_no, kind) IN
    (SELECT message_id, run_no, kind FROM step_outputs WHERE created_at < now() - interval '30 days' LIMIT 1000)

-- name: sweep_threads_close
UPDATE conversation_threads t SET status = 'closed' FROM agent_config c
WHERE c.mailbox_id = t.mailbox_id AND t.status = 'resolved'
    AND t.resolved_at < now() - make_interval(days => c.thread_close_after_days)

-- name: sweep_orphan_blobs
DELETE FROM blobs b WHERE b.created_at < now() - interval '24 hours'
    AND NOT EXISTS (SELECT 1 FROM accepted_mail a WHERE a.organisation_id = b.organisation_id AND a.blob_sha256 = b.sha256)
    AND NOT EXISTS (SELECT 1 FROM attachments x WHERE x.sha256 = b.sha256)

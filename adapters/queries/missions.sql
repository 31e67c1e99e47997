-- ---------------------------------------------------------------- missions: the copied state (missions.md 6.1)

-- name: mission_copy
-- A lower number is old news; the same number with another digest replaces, for the workflow is the authority.
UPDATE missions SET status = $4, gate_epoch = $5, current_turn_no = $6, no_progress = $7, wait_reason = $8,
    resumed_from = $9, outcome = CASE WHEN outcome = '' THEN $10 ELSE outcome END, turn_limit = coalesce($11, turn_limit),
    cost_limit_usd = coalesce($12::numeric, cost_limit_usd), seq = $2, seq_digest = $3, changed_at = now(),
    closed_at = CASE WHEN $4 IN ('completed', 'cancelled', 'failed') THEN coalesce(closed_at, now()) END
WHERE id = $1 AND (seq < $2 OR (seq = $2 AND seq_digest <> $3))

-- name: mission_copy_task
UPDATE task_attempts SET current_turn_no = $4, no_progress = $5, wait_reason = $6, recovery_used = greatest(recovery_used, $7),
    seq = $2, seq_digest = $3
WHERE attempt_id = $1 AND (seq < $2 OR (seq = $2 AND seq_digest <> $3))

-- name: mission_copy_turns
-- The receipt is the database's own: a copy made before it was taken does not undo it.
INSERT INTO mission_turns AS t (scope, turn_no, mission_id, mailbox_id, kind, state, continues_turn_no, superseded_by,
    generation, attempts, wait_reason, resumed_from, outcome, ended_at)
SELECT $1, r.turn_no, $2, $3, r.kind, r.state, r.continues_turn_no, r.superseded_by, r.generation, r.attempts,
    r.wait_reason, r.resumed_from, r.outcome,
    CASE WHEN r.state IN ('finished', 'superseded', 'cancelled') THEN now() END
FROM jsonb_to_recordset($4::jsonb) AS r (turn_no integer, kind text, state text, continues_turn_no integer,
    superseded_by integer, generation integer, attempts integer, wait_reason text, resumed_from text, outcome text)
ON CONFLICT (scope, turn_no) DO UPDATE SET kind = excluded.kind, continues_turn_no = excluded.continues_turn_no,
    superseded_by = excluded.superseded_by, generation = greatest(t.generation, excluded.generation),
    attempts = excluded.attempts, wait_reason = excluded.wait_reason, resumed_from = excluded.resumed_from,
    outcome = excluded.outcome, ended_at = coalesce(t.ended_at, excluded.ended_at),
    state = CASE WHEN t.receipt_at IS NOT NULL AND excluded.state IN ('queued', 'claimed', 'sent') THEN 'admitted'
        ELSE excluded.state END

-- name: mission_copy_items
INSERT INTO mission_inbox AS i (item_id, mission_id, mailbox_id, scope, kind, gate_epoch, created_turn_no, turn_no, seq,
    payload_ref, payload_digest, request_id, gate_id, state, reason, applied)
SELECT r.item_id, $2, $3, $1, r.kind, r.gate_epoch, r.created_turn_no, r.turn_no, r.seq, r.ref, r.digest,
    CASE WHEN r.request_id = '' THEN r.item_id::text ELSE r.request_id END, r.gate_id, r.state, r.reason, true
FROM jsonb_to_recordset($4::jsonb) AS r (item_id uuid, kind text, ref text, digest text, request_id text, gate_id text,
    gate_epoch integer, created_turn_no integer, seq integer, state text, turn_no integer, reason text)
ON CONFLICT (item_id) DO UPDATE SET gate_epoch = excluded.gate_epoch, created_turn_no = excluded.created_turn_no,
    turn_no = excluded.turn_no, seq = excluded.seq, state = excluded.state, reason = excluded.reason, applied = true

-- name: mission_copy_gates
INSERT INTO mission_gates AS g (mission_id, gate_id, mailbox_id, gate_epoch, reason, decision_wanted, why_not_derived,
    finished_meanwhile, cost_of_waiting, safe_next_step, subject_digest, detail, state, answered_by, request_id, wait_reason)
SELECT $1, r.gate_id, $2, r.gate_epoch, r.reason, coalesce(p.body ->> 'decision_wanted', r.words ->> 'decision_wanted'),
    coalesce(p.body ->> 'why_not_derived', r.words ->> 'why_not_derived'),
    coalesce(p.body ->> 'finished_meanwhile', r.words ->> 'finished_meanwhile'),
    coalesce(p.body ->> 'cost_of_waiting', r.words ->> 'cost_of_waiting'),
    coalesce(p.body ->> 'safe_next_step', r.words ->> 'safe_next_step'), coalesce(p.body ->> 'subject_digest', ''),
    r.detail, r.state, r.item_id, r.request_id, r.wait_reason
FROM jsonb_to_recordset($3::jsonb) AS r (gate_id text, gate_epoch integer, reason text, state text, ref uuid, detail text,
    request_id text, item_id uuid, wait_reason text, words jsonb)
LEFT JOIN mission_proposals p ON p.id = r.ref
ON CONFLICT (mission_id, gate_id) DO UPDATE SET state = excluded.state, answered_by = excluded.answered_by,
    request_id = excluded.request_id, wait_reason = excluded.wait_reason, detail = excluded.detail, changed_at = now()

-- name: mission_states
-- What the feed has to compare with: the state before a copy.
SELECT m.status, m.wait_reason, m.current_turn_no,
    (SELECT jsonb_object_agg(g.gate_id, g.state) FROM mission_gates g WHERE g.mission_id = m.id) AS gates
FROM missions m WHERE m.id = $1 FOR NO KEY UPDATE

-- name: mission_successor
-- Inputs nobody touched before the mission completed go into one new mission that names it (M119).
WITH said AS (
    SELECT i.* FROM mission_inbox i WHERE i.mission_id = $1 AND i.item_id = ANY ($2)
), made AS (
    INSERT INTO missions (mailbox_id, workflow_id, kind, idempotency_key, predecessor_id, goal, launched_by, capabilities,
        cost_limit_usd, turn_limit)
    SELECT m.mailbox_id, m.workflow_id || '/next', 'owner', m.idempotency_key || '/next', m.id,
        (SELECT left(string_agg(payload, E'\n\n' ORDER BY seq), 20000) FROM said), m.launched_by, m.capabilities,
        m.cost_limit_usd, m.turn_limit
    FROM missions m WHERE m.id = $1 AND m.kind = 'owner' AND EXISTS (SELECT 1 FROM said)
    ON CONFLICT DO NOTHING RETURNING id, mailbox_id, workflow_id, goal, launched_by
), queued AS (
    INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input, summary)
    SELECT workflow_id, 'MissionWorkflow', 'reject_duplicate',
        jsonb_build_object('mission_id', id, 'mailbox_id', mailbox_id), 'mission ' || id FROM made
)
SELECT * FROM made

-- name: mission_event
INSERT INTO mission_events (mission_id, mailbox_id, kind, subject, value) VALUES ($1, $2, $3, $4, $5)

-- name: mission_limits
SELECT turn_limit, cost_limit_usd, cost_usd FROM missions WHERE id = $1

-- name: mission_launched
UPDATE mission_effects SET state = 'completed', changed_at = now()
WHERE mission_id = $1 AND kind = 'launch' AND state = 'claimed' AND result_ref = $2

-- name: mission_end_inbox
-- Closing and gating leave no pending transport behind, not even one the workflow has not heard of (M77).
UPDATE mission_inbox SET state = 'failed', reason = $3
WHERE mission_id = $1 AND scope = $2 AND state = 'pending' AND kind <> 'owner_input'

-- name: mission_end_inputs
UPDATE mission_inbox SET state = 'failed', reason = $2 WHERE mission_id = $1 AND state = 'pending' AND kind = 'owner_input'

-- ---------------------------------------------------------------- missions: capacity (M127, D12)

-- name: capacity_pool
SELECT max_leases, state FROM capacity_pools WHERE pool = $1 FOR UPDATE

-- name: capacity_own
SELECT lease_id, state FROM capacity_leases WHERE pool = $1 AND holder = $2 AND state IN ('waiting', 'granted')

-- name: capacity_counts
SELECT count(*) FILTER (WHERE state = 'granted') AS granted,
    count(*) FILTER (WHERE state = 'waiting' AND holder <> $2 AND lease_id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)) AS ahead
FROM capacity_leases WHERE pool = $1 AND state IN ('waiting', 'granted')

-- name: capacity_wait
INSERT INTO capacity_leases (pool, holder, mission_id, mailbox_id, wake_workflow_id, state, reason, granted_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $6 = 'granted' THEN now() END) RETURNING lease_id

-- name: capacity_grant
UPDATE capacity_leases SET state = 'granted', reason = '', granted_at = now() WHERE lease_id = $1 AND state = 'waiting'

-- name: capacity_transfer
UPDATE capacity_leases SET holder = $3 WHERE pool = $1 AND holder = $2 AND state = 'granted'

-- name: capacity_release
UPDATE capacity_leases SET state = 'released', released_at = now()
WHERE holder = ANY ($1) AND mission_id = $2 AND state IN ('waiting', 'granted') RETURNING pool

-- name: capacity_release_scope
-- What the turns of a lost execution still hold, but the one that is carried on.
UPDATE capacity_leases SET state = 'released', released_at = now()
WHERE mission_id = $1 AND starts_with(holder, $2 || '#') AND holder <> $2 || '#' || $3::text AND state IN ('waiting', 'granted')
RETURNING pool

-- name: capacity_release_mission
UPDATE capacity_leases SET state = 'released', released_at = now()
WHERE mission_id = $1 AND state IN ('waiting', 'granted')
    AND (pool <> 'work_contexts' OR NOT EXISTS (SELECT 1 FROM task_attempts a
        WHERE a.attempt_id::text = holder AND a.stage IN ('recorded', 'queued', 'delivered', 'read', 'acknowledged')))
RETURNING pool

-- name: capacity_line
SELECT lease_id, wake_workflow_id FROM capacity_leases WHERE pool = $1 AND state = 'waiting' ORDER BY lease_id LIMIT $2

-- name: capacity_granted
SELECT count(*) FROM capacity_leases WHERE pool = $1 AND state = 'granted'

-- name: mission_wake
INSERT INTO wake_queue (workflow_id, signal, args, cause) VALUES ($1, $2, '{}', $3) ON CONFLICT (cause) DO NOTHING

-- ---------------------------------------------------------------- missions: turns (D6)

-- name: turn_receipt
UPDATE mission_turns SET state = 'admitted', receipt_at = now(), build_id = $4, resume_token_digest = $5
WHERE scope = $1 AND turn_no = $2 AND generation = $3 AND receipt_at IS NULL AND state IN ('claimed', 'sent')

-- name: turn_use_resume_token
-- One use: the digest goes with the proof.
UPDATE mission_turns SET resume_token_digest = NULL
WHERE scope = $1 AND turn_no = $2 AND resume_token_digest = $3

-- name: turn_row
SELECT * FROM mission_turns WHERE scope = $1 AND turn_no = $2

-- name: turn_reclaim
-- One statement: either the receipt was there, or nobody can take it under the old generation any more.
UPDATE mission_turns SET generation = CASE WHEN receipt_at IS NULL THEN greatest(generation, $3 + 1) ELSE generation END
WHERE scope = $1 AND turn_no = $2 RETURNING receipt_at IS NOT NULL AS received, generation

-- name: turn_mission
SELECT * FROM missions WHERE id = $1

-- name: turn_attempt
SELECT * FROM task_attempts WHERE attempt_id = $1

-- name: turn_items
SELECT item_id, kind, input_kind, payload_ref, payload, gate_id, actor FROM mission_inbox WHERE item_id = ANY ($1) ORDER BY seq, item_id

-- name: turn_stage
UPDATE task_attempts SET stage = $2 WHERE attempt_id = $1 AND stage = ANY ($3)

-- name: turn_delivered
UPDATE task_results SET delivered_at = coalesce(delivered_at, now()) WHERE result_id = $1

-- name: turn_steps
SELECT n, kind, call_id, tool, body FROM mission_steps WHERE scope = $1 AND turn_no = $2 ORDER BY n LIMIT 400

-- name: turn_add_step
INSERT INTO mission_steps (scope, turn_no, n, mailbox_id, kind, call_id, tool, body)
SELECT $1, $2, coalesce(max(n), 0) + 1, $3, $4, $5, $6, $7 FROM mission_steps WHERE scope = $1 AND turn_no = $2

-- name: turn_add_proposal
INSERT INTO mission_proposals (id, mission_id, mailbox_id, scope, turn_no, call_id, kind, stable_key, digest, body)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (id) DO NOTHING

-- name: turn_proposal_calls
SELECT id, call_id FROM mission_proposals WHERE id = ANY ($1)

-- name: turn_count
UPDATE mission_turns SET model_calls = model_calls + $3, tool_faults = tool_faults + $4, said = CASE WHEN $5 = '' THEN said ELSE $5 END
WHERE scope = $1 AND turn_no = $2 RETURNING model_calls, tool_faults

-- name: turn_cost
UPDATE missions SET cost_usd = (SELECT coalesce(sum(u.cost_usd), 0) FROM llm_usage u WHERE u.mission_id = $1)
WHERE id = $1 RETURNING cost_usd

-- name: turn_earlier_words
SELECT turn_no, kind, said FROM mission_turns WHERE scope = $1 AND turn_no < $2 AND said <> '' ORDER BY turn_no DESC LIMIT 5

-- name: mission_usage_record
INSERT INTO llm_usage (mailbox_id, mission_id, step, task, model, tokens_in, tokens_out, cost_usd, unpriced, offline, latency_ms, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- ---------------------------------------------------------------- missions: effects (6.2)

-- name: effect_build
SELECT build_id FROM current_build WHERE component = 'worker' FOR SHARE

-- name: effect_mission
-- Not FOR UPDATE, here and below: a task that begins adds rows that refer to its mission, after its own row and not before.
SELECT * FROM missions WHERE id = $1 FOR NO KEY UPDATE

-- name: effect_attempt
SELECT * FROM task_attempts WHERE attempt_id = $1 FOR NO KEY UPDATE

-- name: effect_known
-- The newest claim of the effect on this turn or on one it carries on (M116); an external one on any turn.
WITH RECURSIVE chain AS (
    SELECT t.turn_no, t.continues_turn_no, t.kind FROM mission_turns t WHERE t.scope = $1 AND t.turn_no = $2
    UNION
    SELECT t.turn_no, t.continues_turn_no, t.kind FROM mission_turns t
    JOIN chain c ON c.kind IN ('resume', 'recovery') AND t.turn_no = c.continues_turn_no WHERE t.scope = $1
)
SELECT e.*, (SELECT v.verdict FROM mission_effect_evidence v WHERE v.effect_id = e.effect_id ORDER BY v.id DESC LIMIT 1) AS verdict
FROM mission_effects e
WHERE e.mission_id = $3 AND e.kind = $4 AND e.stable_key = $5
    AND ((e.scope = $1 AND e.turn_no IN (SELECT turn_no FROM chain)) OR e.external)
ORDER BY (e.state = 'completed') DESC, e.claim_no DESC LIMIT 1

-- name: effect_claim
INSERT INTO mission_effects (mission_id, mailbox_id, scope, turn_no, kind, stable_key, claim_no, external, request_digest,
    state, claim_token, build_id, gate_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'claimed', $10, $11, $12) ON CONFLICT DO NOTHING RETURNING effect_id

-- name: effect_claim_again
UPDATE mission_effects SET state = 'claimed', claim_token = $2, changed_at = now()
WHERE effect_id = $1 AND state = 'not_admitted' RETURNING effect_id

-- name: effect_settle
UPDATE mission_effects SET state = $2, code = $3, result_ref = $4, changed_at = now() WHERE effect_id = $1

-- name: effect_proposal
SELECT body, digest FROM mission_proposals WHERE id = $1 AND mission_id = $2

-- name: effect_evidence
INSERT INTO mission_effect_evidence (effect_id, mailbox_id, verdict, proof, by) VALUES ($1, $2, $3, $4, $5)

-- name: launch_latest
SELECT a.attempt_id, a.attempt_no, a.stage, r.status AS result FROM task_attempts a LEFT JOIN task_results r ON r.result_id = a.attempt_id
WHERE a.parent_workflow_id = $1 AND a.task_key = $2 ORDER BY a.attempt_no DESC LIMIT 1 FOR NO KEY UPDATE OF a

-- name: launch_attempt
INSERT INTO task_attempts (mission_id, mailbox_id, parent_workflow_id, scope, task_key, attempt_no, mode, goal, contact_id,
    message_id, capabilities, delegated_by_turn, supersedes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING attempt_id

-- name: launch_input
INSERT INTO mission_inbox (item_id, mission_id, mailbox_id, scope, kind, payload, payload_ref, request_id)
VALUES ($1, $2, $3, $4, 'task', $5, $6::text, 'task/' || $6::text) ON CONFLICT DO NOTHING

-- name: launch_scope_ok
-- A task may only be bound to a contact and a message of its mission's mailbox.
SELECT ($2::uuid IS NULL OR EXISTS (SELECT 1 FROM inbound_messages m WHERE m.contact_id = $2 AND m.mailbox_id = $1))
    AND ($3::uuid IS NULL OR EXISTS (SELECT 1 FROM inbound_messages m WHERE m.id = $3 AND m.mailbox_id = $1
        AND ($2::uuid IS NULL OR m.contact_id = $2)))

-- name: complete_barrier
SELECT count(*) FROM task_attempts WHERE parent_workflow_id = $1 AND stage NOT IN ('acknowledged', 'retired', 'fenced', 'cancelled')

-- name: complete_unsettled
SELECT count(*) FROM mission_effects e WHERE e.mission_id = $1 AND e.state = 'indeterminate'
    AND NOT EXISTS (SELECT 1 FROM mission_effect_evidence v WHERE v.effect_id = e.effect_id)

-- name: complete_summary
UPDATE missions SET outcome = $2, summary = $3 WHERE id = $1

-- ---------------------------------------------------------------- missions: results (M103-M107)

-- name: result_row
SELECT * FROM task_results WHERE result_id = $1

-- name: result_add
INSERT INTO task_results (result_id, mission_id, mailbox_id, status, document, digest) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (result_id) DO NOTHING

-- name: result_conflict
INSERT INTO task_result_conflicts (attempt_id, mailbox_id, digest, reason) VALUES ($1, $2, $3, $4)

-- name: result_notice
INSERT INTO mission_inbox (item_id, mission_id, mailbox_id, scope, kind, payload_ref, request_id, state, reason, gate_epoch)
SELECT $1, m.id, m.mailbox_id, $3, $4, $5::text, 'result/' || $5::text, CASE WHEN m.status = 'open' THEN 'pending' ELSE 'failed' END,
    CASE WHEN m.status = 'open' THEN '' ELSE 'not_open' END, m.gate_epoch
FROM missions m WHERE m.id = $2 ON CONFLICT DO NOTHING

-- name: result_read
UPDATE task_results SET read_at = coalesce(read_at, now()) WHERE result_id = $1

-- name: result_acknowledge
UPDATE task_results SET acknowledged_at = now(), acknowledged_by_turn = $2, used = $3, verified = $4
WHERE result_id = $1 AND acknowledged_at IS NULL

-- name: result_recovering
UPDATE task_attempts SET recovery_used = recovery_used + 1, run_suffix = $2, stage = 'recovering'
WHERE attempt_id = $1 AND run_suffix < $2 AND stage IN ('working', 'admitted', 'recovering')
RETURNING recovery_used, seq

-- name: result_last_turn
-- The turn a lost execution was in, if its last receipt is of a turn that did not end.
SELECT max(t.turn_no) AS turn_no,
    (SELECT CASE WHEN l.state = 'admitted' OR l.outcome = 'execution_lost' THEN l.turn_no END FROM mission_turns l
        WHERE l.scope = $1 AND l.receipt_at IS NOT NULL ORDER BY l.turn_no DESC LIMIT 1) AS interrupted
FROM mission_turns t WHERE t.scope = $1

-- name: result_close_turns
UPDATE mission_turns SET state = CASE state WHEN 'admitted' THEN 'finished' ELSE 'cancelled' END, outcome = $2, ended_at = now()
WHERE scope = $1 AND state IN ('queued', 'claimed', 'sent', 'admitted')

-- ---------------------------------------------------------------- missions: drafts and shared objects (M14a, M86)

-- name: writer_take
INSERT INTO writer_leases AS w (object, mailbox_id, holder) VALUES ($1, $2, $3)
ON CONFLICT (object) DO UPDATE SET holder = excluded.holder, generation = w.generation + 1, since = now()
WHERE NOT w.retired AND (w.holder = excluded.holder OR NOT EXISTS (SELECT 1 FROM missions m
    WHERE 'mission:' || m.id = w.holder AND m.status IN ('open', 'owner_gate')))
RETURNING generation

-- name: proposal_message
SELECT m.id, m.mailbox_id, m.contact_id, m.thread_id, m.processing_status, m.hold_reason, m.draft_revision, m.draft_response,
    (SELECT r.author FROM draft_revisions r WHERE r.message_id = m.id AND r.revision = m.draft_revision) AS author
FROM inbound_messages m WHERE m.id = $1

-- name: proposal_note
INSERT INTO review_notes (mailbox_id, message_id, author, kind, text) VALUES ($1, $2, $3, 'reply', $4) RETURNING id

-- ---------------------------------------------------------------- missions: what agents may look at (M14a)

-- name: tool_threads
SELECT t.id AS thread_id, t.subject, t.status, t.contact_id, t.contact_identifier, t.last_message_at, t.message_count,
    m.id AS message_id, m.processing_status, m.classification ->> 'category' AS category,
    (t.status <> 'closed' AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.thread_id = t.id AND o.state = 'sent'
        AND o.sent_at > m.received_at)) AS unanswered
FROM conversation_threads t
JOIN LATERAL (SELECT * FROM inbound_messages x WHERE x.thread_id = t.id ORDER BY x.received_at DESC, x.id DESC LIMIT 1) m ON true
WHERE t.mailbox_id = $1 AND m.received_at >= now() - make_interval(days => $3)
    AND ($2 = '' OR EXISTS (SELECT 1 FROM message_search s WHERE s.thread_id = t.id AND s.words @@ websearch_to_tsquery('simple', $2)))
    AND ($4 = '' OR m.classification ->> 'category' = $4)
    AND (NOT $5 OR NOT EXISTS (SELECT 1 FROM outbox o WHERE o.thread_id = t.id AND o.state = 'sent' AND o.sent_at > m.received_at))
ORDER BY t.last_message_at DESC, t.id LIMIT 50

-- name: tool_thread
SELECT m.id, m.from_address, m.received_at, m.subject, m.processing_status, m.contact_id FROM inbound_messages m
WHERE m.thread_id = $1 AND m.mailbox_id = $2 ORDER BY m.received_at DESC, m.id DESC LIMIT 50

-- name: tool_message
SELECT m.id, m.mailbox_id, m.contact_id, m.thread_id, m.from_address, m.received_at, m.subject, m.text_body, m.processing_status, m.security_flags
FROM inbound_messages m WHERE m.id = $1 AND m.mailbox_id = $2

-- name: tool_draft
SELECT r.revision, r.author, r.text, m.contact_id, m.processing_status, m.security_flags FROM draft_revisions r
JOIN inbound_messages m ON m.id = r.message_id AND m.draft_revision = r.revision WHERE m.id = $1 AND m.mailbox_id = $2

-- name: tool_tasks
SELECT a.attempt_id, a.task_key, a.attempt_no, a.mode, a.stage, a.wait_reason, a.contact_id, a.message_id, r.status AS result, r.used
FROM task_attempts a LEFT JOIN task_results r ON r.result_id = a.attempt_id
WHERE a.parent_workflow_id = $1 ORDER BY a.created_at, a.attempt_id LIMIT 200

-- name: tool_result
SELECT r.*, a.parent_workflow_id, a.scope, a.stage, a.task_key, a.contact_id FROM task_results r JOIN task_attempts a ON a.attempt_id = r.result_id
WHERE r.result_id = $1 AND r.mission_id = $2

-- ---------------------------------------------------------------- missions: the owner's door (6.4)

-- name: mission_start
-- The row and the start order are one transaction, so that a mission exists exactly if it will be started (RC13).
WITH made AS (
    INSERT INTO missions (mailbox_id, workflow_id, kind, idempotency_key, request_digest, goal, launched_by, capabilities,
        cost_limit_usd, turn_limit)
    VALUES ($1, $2, 'owner', $3, $4, $5, $6, $7, $8, $9)
    ON CONFLICT (mailbox_id, idempotency_key) DO NOTHING RETURNING id, mailbox_id, workflow_id
), queued AS (
    INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input, summary)
    SELECT workflow_id, 'MissionWorkflow', 'reject_duplicate',
        jsonb_build_object('mission_id', id, 'mailbox_id', mailbox_id), 'mission ' || id FROM made
)
SELECT id FROM made

-- name: mission_goal_input
INSERT INTO mission_inbox (item_id, mission_id, mailbox_id, scope, kind, input_kind, payload, payload_digest, request_id, actor, applied)
VALUES ($1, $2, $3, $4, 'owner_input', 'goal', $5, $6, 'goal/' || $2::uuid, $7, true)

-- name: mission_by_key
SELECT * FROM missions WHERE mailbox_id = $1 AND idempotency_key = $2

-- name: mission_row
SELECT * FROM missions WHERE id = $1

-- name: input_store
INSERT INTO mission_inbox (mission_id, mailbox_id, scope, kind, input_kind, payload, payload_digest, settings, request_id, gate_id, actor)
SELECT m.id, m.mailbox_id, m.workflow_id, 'owner_input', $2, $3, $4, $5, $6, $7, $8 FROM missions m WHERE m.id = $1
ON CONFLICT (mission_id, request_id) DO NOTHING RETURNING item_id

-- name: input_known
SELECT item_id, payload_digest, state, reason, applied FROM mission_inbox WHERE mission_id = $1 AND request_id = $2

-- name: inputs_unapplied
-- Stored by a person, never heard of by the workflow: an outage lost the update (M70).
SELECT i.item_id, i.input_kind, i.payload_digest, i.settings, i.request_id, i.gate_id, m.workflow_id FROM mission_inbox i
JOIN missions m ON m.id = i.mission_id
WHERE i.kind = 'owner_input' AND NOT i.applied AND i.state = 'pending' AND m.status IN ('open', 'owner_gate')
    AND i.created_at < now() - $1::interval ORDER BY i.created_at LIMIT 100

-- name: input_refused
UPDATE mission_inbox SET state = 'failed', reason = $2, applied = true WHERE item_id = $1 AND NOT applied

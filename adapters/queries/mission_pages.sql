-- ---------------------------------------------------------------- missions: what people read of them (missions.md 6.4)

-- name: mission_pages_list
-- Newest first by id, which is made of the time.
SELECT m.id, m.mailbox_id, b.address AS mailbox, m.kind, left(m.goal, 300) AS goal, m.status, m.wait_reason, m.launched_by,
    m.cost_usd, m.cost_limit_usd, m.turn_limit, m.outcome, m.inbound_message_id, m.created_at, m.changed_at, m.closed_at,
    (SELECT count(*) FROM mission_turns t WHERE t.scope = m.workflow_id AND t.receipt_at IS NOT NULL) AS turns,
    (SELECT count(*) FROM task_attempts a WHERE a.mission_id = m.id) AS tasks,
    (SELECT count(*) FROM task_attempts a WHERE a.mission_id = m.id
        AND a.stage NOT IN ('acknowledged', 'retired', 'fenced', 'cancelled')) AS tasks_open,
    (SELECT g.decision_wanted FROM mission_gates g WHERE g.mission_id = m.id AND g.state IN ('requested', 'open_visible')
        ORDER BY g.created_at DESC LIMIT 1) AS decision_wanted
FROM missions m JOIN mailboxes b ON b.id = m.mailbox_id
WHERE ($1::text[] IS NULL OR m.status = ANY ($1)) AND ($2::text IS NULL OR m.kind = $2)
    AND ($3::uuid[] IS NULL OR m.mailbox_id = ANY ($3)) AND ($4::uuid IS NULL OR m.id < $4)
ORDER BY m.id DESC LIMIT $5

-- name: mission_pages_one
SELECT m.id, m.mailbox_id, b.address AS mailbox, m.workflow_id, m.kind, m.goal, m.status, m.wait_reason, m.launched_by,
    u.name AS launched_by_name, m.capabilities, m.gate_epoch, m.current_turn_no, m.no_progress, m.resumed_from,
    m.predecessor_id, m.inbound_message_id, m.superseded_by, m.cost_usd, m.cost_limit_usd, m.turn_limit, m.outcome, m.summary,
    m.created_at, m.changed_at, m.closed_at,
    (SELECT n.id FROM missions n WHERE n.predecessor_id = m.id LIMIT 1) AS successor_id,
    (SELECT count(*) FROM mission_turns t WHERE t.scope = m.workflow_id AND t.receipt_at IS NOT NULL) AS turns_used
FROM missions m JOIN mailboxes b ON b.id = m.mailbox_id
LEFT JOIN users u ON 'user:' || u.id = m.launched_by
WHERE m.id = $1

-- name: mission_pages_tasks
SELECT a.attempt_id, a.parent_workflow_id, a.scope, a.task_key, a.attempt_no, a.mode, a.profile, a.goal, a.contact_id,
    a.message_id, a.capabilities, a.delegated_by_turn, a.supersedes, a.stage, a.stage_times, a.wait_reason, a.run_suffix,
    a.recovery_used, a.reason, a.created_at, r.status AS result, r.digest AS result_digest, r.verified, r.used,
    left(r.document ->> 'summary', 400) AS result_summary,
    jsonb_array_length(coalesce(r.document -> 'fragments', '[]')) AS fragments
FROM task_attempts a LEFT JOIN task_results r ON r.result_id = a.attempt_id
WHERE a.mission_id = $1 ORDER BY a.created_at, a.attempt_id LIMIT 500

-- name: mission_pages_turns
-- What the calls of a turn took and cost; the ledger names the turn by `mission/<mission>/<scope>#<turn>`.
WITH used AS (
    SELECT u.step, string_agg(DISTINCT nullif(u.model, ''), ', ') AS model, sum(u.cost_usd) AS cost_usd, count(*) AS calls,
        sum(u.latency_ms) AS model_ms, sum(u.tokens_in) AS tokens_in, sum(u.tokens_out) AS tokens_out,
        bool_or(u.unpriced) AS unpriced
    FROM llm_usage u WHERE u.mission_id = $1 GROUP BY u.step
), newest AS (
    SELECT * FROM mission_turns t WHERE t.mission_id = $1 ORDER BY t.created_at DESC, t.turn_no DESC LIMIT 500
)
SELECT t.scope, t.turn_no, t.kind, t.state, t.continues_turn_no, t.superseded_by, t.generation, t.attempts, t.wait_reason,
    t.resumed_from, t.outcome, left(t.said, 2000) AS said, t.model_calls, t.tool_faults, t.receipt_at, t.created_at, t.ended_at,
    u.model, u.cost_usd, u.calls, u.model_ms, u.tokens_in, u.tokens_out, coalesce(u.unpriced, false) AS unpriced
FROM newest t LEFT JOIN used u ON u.step = left('mission/' || $1::uuid || '/' || t.scope || '#' || t.turn_no, 400)
ORDER BY t.created_at, t.scope, t.turn_no

-- name: mission_pages_gates
SELECT g.gate_id, g.gate_epoch, g.reason, g.decision_wanted, g.why_not_derived, g.finished_meanwhile, g.cost_of_waiting,
    g.safe_next_step, g.subject_digest, g.detail, g.state, g.wait_reason, g.created_at, g.changed_at,
    left(i.payload, 4000) AS answer, i.input_kind AS answer_kind, i.actor AS answered_by
FROM mission_gates g LEFT JOIN mission_inbox i ON i.item_id = g.answered_by
WHERE g.mission_id = $1 ORDER BY g.created_at DESC, g.gate_id DESC LIMIT 100

-- name: mission_pages_effects
-- What nobody can prove comes first.
SELECT e.effect_id, e.scope, e.turn_no, e.kind, e.stable_key, e.claim_no, e.state, e.code, e.gate_id, e.result_ref,
    e.created_at, e.changed_at,
    (SELECT v.verdict FROM mission_effect_evidence v WHERE v.effect_id = e.effect_id ORDER BY v.id DESC LIMIT 1) AS verdict
FROM mission_effects e WHERE e.mission_id = $1
ORDER BY (e.state = 'indeterminate') DESC, e.created_at, e.effect_id LIMIT 500

-- name: mission_pages_inputs
SELECT i.item_id, i.input_kind, left(i.payload, 4000) AS text, i.request_id, i.gate_id, i.actor, u.name AS actor_name, i.state,
    i.reason, i.applied, i.turn_no, i.created_at
FROM mission_inbox i LEFT JOIN users u ON 'user:' || u.id = i.actor
WHERE i.mission_id = $1 AND i.kind = 'owner_input' ORDER BY i.created_at, i.item_id LIMIT 200

-- name: mission_pages_missed_mail
-- Mail that came while the mission stood at this gate; an approval has to name the newest as seen (M135a).
SELECT i.payload_ref AS message_id, i.created_at FROM mission_inbox i
WHERE i.mission_id = $1 AND i.kind = 'mail' AND i.reason = 'not_open' AND i.gate_epoch = $2
ORDER BY i.created_at DESC, i.item_id DESC LIMIT 20

-- name: mission_pages_waiting_gate
SELECT g.gate_id, g.gate_epoch, g.reason, g.state FROM mission_gates g WHERE g.mission_id = $1 AND g.state IN ('requested', 'open_visible')
ORDER BY g.created_at DESC, g.gate_id DESC LIMIT 1

-- name: mission_pages_result
SELECT r.result_id, r.mission_id, a.task_key, a.attempt_no, r.status, r.document, r.digest, r.verified, r.used, r.recorded_at,
    r.delivered_at, r.read_at, r.acknowledged_at, r.acknowledged_by_turn
FROM task_results r JOIN task_attempts a ON a.attempt_id = r.result_id WHERE r.mission_id = $1 AND r.result_id = $2

-- name: mission_pages_events
SELECT e.id, e.kind, e.subject, e.value, e.at FROM mission_events e WHERE e.mission_id = $1 AND e.id > $2 ORDER BY e.id LIMIT 500

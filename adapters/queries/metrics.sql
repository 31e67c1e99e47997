-- Numbers that watch automation: the rollup, breakers and whose turn it is, what is deleted with time, the health page.

-- ---------------------------------------------------------------- rollup (15.1)

-- name: rollup_mailboxes
SELECT b.id, b.timezone, c.daily_budget_usd, c.monthly_budget_usd,
    (SELECT max(m.window_start) FROM agent_metrics m WHERE m.mailbox_id = b.id) AS newest
FROM mailboxes b JOIN agent_config c ON c.mailbox_id = b.id WHERE b.kind = 'inbox' AND b.id > $1 ORDER BY b.id LIMIT $2

-- name: rollup_latency
INSERT INTO agent_metrics AS known (mailbox_id, metric, part, window_start, value, sample_count)
SELECT $1, 'processing_latency', p.part, w.at, p.value, w.n
FROM (SELECT date_bin('5 minutes', completed_at, 'epoch') AS at, count(*)::int AS n, avg(duration_ms) AS mean,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY duration_ms) AS p50,
        percentile_cont(0.95) WITHIN GROUP (ORDER BY duration_ms) AS p95
    FROM agent_actions
    WHERE mailbox_id = $1 AND status = 'completed' AND duration_ms IS NOT NULL AND completed_at >= $2 AND completed_at < $3
    GROUP BY 1) w
CROSS JOIN LATERAL (VALUES ('mean', w.mean), ('p50', w.p50), ('p95', w.p95)) AS p (part, value)
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, created_at = now()
WHERE excluded.sample_count >= known.sample_count AND (known.value, known.sample_count)
    IS DISTINCT FROM (excluded.value, excluded.sample_count)

-- name: rollup_errors
-- Failures are read from the trail: a step that was tried again and succeeded leaves no other trace of them.
INSERT INTO agent_metrics AS known (mailbox_id, metric, window_start, value, sample_count)
SELECT $1, 'error_rate', f.at, sum(f.bad)::float8 / count(*), count(*)::int
FROM (SELECT date_bin('5 minutes', completed_at, 'epoch') AS at, 0 AS bad FROM agent_actions
        WHERE mailbox_id = $1 AND status = 'completed' AND completed_at >= $2 AND completed_at < $3
    UNION ALL
    SELECT date_bin('5 minutes', at, 'epoch'), 1 FROM lifecycle_events
        WHERE mailbox_id = $1 AND accepted AND at >= $2 AND at < $3
            AND (to_status = 'failed' AND from_status <> 'approved'
                OR to_status = 'quarantined' AND from_status = 'drafting')) f
GROUP BY f.at
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, created_at = now()
WHERE excluded.sample_count >= known.sample_count AND (known.value, known.sample_count)
    IS DISTINCT FROM (excluded.value, excluded.sample_count)

-- name: rollup_automatic
INSERT INTO agent_metrics AS known (mailbox_id, metric, window_start, value, sample_count)
SELECT $1, 'auto_approve_ratio', date_bin('5 minutes', created_at, 'epoch') AS at,
    (count(*) FILTER (WHERE outcome = 'auto_approve'))::float8 / count(*), count(*)::int
FROM autonomy_decisions WHERE mailbox_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY at
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, created_at = now()
WHERE excluded.sample_count >= known.sample_count AND (known.value, known.sample_count)
    IS DISTINCT FROM (excluded.value, excluded.sample_count)

-- name: rollup_cost
INSERT INTO agent_metrics AS known (mailbox_id, metric, window_start, value, sample_count)
SELECT $1, 'llm_cost', date_bin('5 minutes', created_at, 'epoch') AS at, coalesce(sum(cost_usd), 0)::float8, count(*)::int
FROM llm_usage WHERE mailbox_id = $1 AND created_at >= $2 AND created_at < $3 GROUP BY at
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, created_at = now()
WHERE excluded.sample_count >= known.sample_count AND (known.value, known.sample_count)
    IS DISTINCT FROM (excluded.value, excluded.sample_count)

-- name: rollup_rejections
INSERT INTO agent_metrics AS known (mailbox_id, metric, window_start, value, sample_count)
SELECT $1, 'rejection_rate', w.at, s.bad::float8 / s.n, s.n
FROM generate_series($2::timestamptz, $3::timestamptz - interval '5 minutes', interval '5 minutes') AS w (at)
CROSS JOIN LATERAL (SELECT count(DISTINCT f.message_id)::int AS n,
        count(DISTINCT f.message_id) FILTER (WHERE f.action = 'rejected') AS bad
    FROM autonomy_feedback f WHERE f.mailbox_id = $1 AND f.created_at >= w.at + interval '5 minutes' - interval '24 hours'
        AND f.created_at < w.at + interval '5 minutes') s
WHERE s.n > 0
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, created_at = now()
WHERE excluded.sample_count >= known.sample_count AND (known.value, known.sample_count)
    IS DISTINCT FROM (excluded.value, excluded.sample_count)

-- name: rollup_accuracy
-- Enough words of reviewers within 7 days make it measured; otherwise it is the model's own confidence in this window.
-- An output carried into a later run keeps the key of the run that made it and is not counted again.
INSERT INTO agent_metrics AS known (mailbox_id, metric, window_start, value, sample_count, basis)
SELECT $1, 'classification_accuracy', w.at, CASE WHEN l.n >= $4 THEN l.good::float8 / l.n ELSE s.mean END,
    CASE WHEN l.n >= $4 THEN l.n ELSE s.n END, CASE WHEN l.n >= $4 THEN 'labelled' ELSE 'self_reported' END
FROM generate_series($2::timestamptz, $3::timestamptz - interval '5 minutes', interval '5 minutes') AS w (at)
CROSS JOIN LATERAL (SELECT count(*)::int AS n, count(*) FILTER (WHERE c.category = c.model_category) AS good
    FROM category_labels c WHERE c.mailbox_id = $1 AND c.at >= w.at + interval '5 minutes' - interval '7 days'
        AND c.at < w.at + interval '5 minutes') l
LEFT JOIN (SELECT date_bin('5 minutes', o.created_at, 'epoch') AS at, count(*)::int AS n,
        avg((o.output -> 'classification' ->> 'confidence')::float8) AS mean
    FROM step_outputs o WHERE o.mailbox_id = $1 AND o.kind = 'classify' AND o.created_at >= $2 AND o.created_at < $3
        AND coalesce(o.decision ->> 'key' LIKE o.run_no || '.%', true) GROUP BY 1) s ON s.at = w.at
WHERE l.n >= $4 OR s.n > 0
ON CONFLICT (mailbox_id, metric, part, window_start) DO UPDATE SET value = excluded.value,
    sample_count = excluded.sample_count, basis = excluded.basis, created_at = now()
WHERE (excluded.sample_count >= known.sample_count OR excluded.basis <> known.basis)
    AND (known.value, known.sample_count, known.basis)
    IS DISTINCT FROM (excluded.value, excluded.sample_count, excluded.basis)

-- name: rollup_queue
-- What can only be seen now stands under the window that ended last; the first look at it counts.
INSERT INTO agent_metrics (mailbox_id, metric, window_start, value, sample_count)
SELECT $1, 'queue_depth', $2, count(*), count(*)::int FROM inbound_messages
WHERE mailbox_id = $1 AND processing_status = 'received' AND hold_reason IS NULL
ON CONFLICT DO NOTHING

-- name: rollup_held
INSERT INTO agent_metrics (mailbox_id, metric, part, window_start, value, sample_count)
SELECT $1, 'held_depth', coalesce(hold_reason, ''), $2, count(*), count(*)::int FROM inbound_messages
WHERE mailbox_id = $1 AND hold_reason IS NOT NULL AND processing_status NOT IN ('sent', 'rejected', 'archived')
GROUP BY GROUPING SETS ((hold_reason), ())
ON CONFLICT DO NOTHING

-- name: rollup_day_over
SELECT r.id, b.timezone FROM autonomy_rules r JOIN mailboxes b ON b.id = r.mailbox_id
WHERE r.mailbox_id = $1 AND r.daily_count_reset_at <= now() AND r.current_daily_count > 0 ORDER BY r.id LIMIT 1000

-- name: rollup_reset_rule
UPDATE autonomy_rules SET current_daily_count = 0, daily_count_reset_at = $2 WHERE id = $1 AND daily_count_reset_at <= now()

-- name: rollup_reset_global
UPDATE agent_config SET daily_auto_reply_count = 0, daily_auto_reply_reset_at = $2
WHERE mailbox_id = $1 AND daily_auto_reply_reset_at <= now() AND daily_auto_reply_count > 0

-- name: rollup_audit_once
-- Told once per day and subject, however often it is seen.
INSERT INTO audit_log (mailbox_id, actor, action, subject, after)
SELECT $1, 'deskhand', $2, $3, $4 WHERE NOT EXISTS (SELECT 1 FROM audit_log
    WHERE at >= $5 AND mailbox_id = $1 AND action = $2 AND subject = $3)
RETURNING id

-- ---------------------------------------------------------------- breakers (P93-P96)

-- name: breaker_state
SELECT state, tripped_at + make_interval(secs => cool_down_s) <= clock_timestamp() AS cooled_down
FROM agent_circuit_breakers WHERE mailbox_id = $1 AND kind = $2

-- name: breaker_lock
SELECT * FROM agent_circuit_breakers WHERE mailbox_id = $1 AND kind = ANY ($2) ORDER BY kind FOR UPDATE

-- name: breaker_calls
SELECT count(*) FILTER (WHERE outcome = ANY ($3))::int AS bad, count(*)::int AS total FROM llm_usage
WHERE mailbox_id = $1 AND created_at >= $2 AND outcome <> ALL ($4)

-- name: breaker_confidences
SELECT count(*) FILTER (WHERE (output -> 'classification' ->> 'confidence')::float8 < $3)::int AS bad, count(*)::int AS total
FROM step_outputs WHERE mailbox_id = $1 AND kind = 'classify' AND created_at >= $2
    AND coalesce(decision ->> 'key' LIKE run_no || '.%', true)

-- name: breaker_reviews
SELECT count(DISTINCT message_id) FILTER (WHERE action = 'rejected')::int AS bad, count(DISTINCT message_id)::int AS total
FROM autonomy_feedback WHERE mailbox_id = $1 AND created_at >= $2

-- name: breaker_looked
UPDATE agent_circuit_breakers SET evaluated_at = $3, last_bad = $4, last_total = $5 WHERE mailbox_id = $1 AND kind = $2

-- name: breaker_move
-- A turn ends with the state that gave it.
UPDATE agent_circuit_breakers SET state = $3, tripped_at = $4, half_open_at = $5, recovered_at = $6, probes_used = $7,
    reason = $8, turn_holder = NULL, turn_until = NULL, turn_failed = false
WHERE mailbox_id = $1 AND kind = $2

-- name: breaker_charge_probes
UPDATE agent_circuit_breakers SET probes_used = probes_used + 1 WHERE mailbox_id = $1 AND state = 'half_open'

-- name: breaker_wake
-- Held mails go on: all of them, or the one that waits longest, now or a little later.
INSERT INTO wake_queue (workflow_id, args, cause, created_at, next_try_at)
SELECT w.workflow_id, jsonb_build_object('cause', $3::text), m.id || ':' || $3,
    now() + row_number() OVER (ORDER BY m.changed_at, m.id) * interval '1 microsecond', now() + $5::interval
FROM (SELECT id, run_no, changed_at FROM inbound_messages
    WHERE mailbox_id = $1 AND hold_reason = $2
        AND processing_status IN ('received', 'security_check', 'classifying', 'drafting')
    ORDER BY changed_at, id LIMIT $4) m
JOIN LATERAL (
    SELECT q.workflow_id FROM generate_series(1, m.run_no) n
    JOIN start_queue q ON q.workflow_id = 'message/' || m.id || CASE WHEN n > 1 THEN '/run/' || n ELSE '' END
    ORDER BY n DESC LIMIT 1) w ON true
ON CONFLICT (cause) DO NOTHING

-- name: turn_facts
SELECT b.state, b.tripped_at + make_interval(secs => b.cool_down_s) <= clock_timestamp() AS cooled_down,
    c.daily_budget_usd, c.monthly_budget_usd, m.timezone
FROM agent_config c JOIN mailboxes m ON m.id = c.mailbox_id
LEFT JOIN agent_circuit_breakers b ON b.mailbox_id = c.mailbox_id AND b.kind = 'llm_failure'
WHERE c.mailbox_id = $1

-- name: turn_take
UPDATE agent_circuit_breakers SET turn_holder = $2, turn_until = clock_timestamp() + $3::interval, turn_failed = false
WHERE mailbox_id = $1 AND kind = 'llm_failure' AND state = 'open' AND (turn_until IS NULL OR turn_until < clock_timestamp())
RETURNING true

-- name: turn_failed
UPDATE agent_circuit_breakers SET turn_failed = true
WHERE mailbox_id = $1 AND kind = 'llm_failure' AND state = 'open' AND turn_holder IS NOT NULL

-- name: turn_end
-- After a failure the next turn waits a moment, so that an endpoint that is down is asked now and then and not at full speed.
UPDATE agent_circuit_breakers b SET turn_holder = NULL, turn_failed = false,
    turn_until = CASE WHEN o.turn_failed OR $3 THEN clock_timestamp() + $4::interval END
FROM agent_circuit_breakers o
WHERE b.mailbox_id = $1 AND b.kind = 'llm_failure' AND b.turn_holder = $2 AND o.mailbox_id = b.mailbox_id AND o.kind = b.kind
RETURNING b.turn_until IS NOT NULL AS rests

-- name: turn_others_wait
SELECT EXISTS (SELECT 1 FROM inbound_messages WHERE mailbox_id = $1 AND hold_reason = 'llm_breaker' AND id <> $2)

-- name: turn_step_cost
SELECT coalesce(max(c.usd), 0) FROM (SELECT sum(u.cost_usd) AS usd
    FROM (SELECT message_id, run_no, cost_usd FROM llm_usage WHERE mailbox_id = $1 AND step = $2
        AND created_at > now() - interval '1 day' ORDER BY created_at DESC LIMIT 200) u GROUP BY u.message_id, u.run_no) c

-- ---------------------------------------------------------------- hourly ceiling of automatic sends (LO2)

-- name: ceiling_sends
SELECT count(*)::int FROM outbox WHERE mailbox_id = $1 AND automatic AND claimed_at > clock_timestamp() - interval '1 hour'
    AND state IN ('sending', 'sent', 'ambiguous', 'bounced')

-- name: ceiling_refused
-- A send was refused for the ceiling and nobody has been told since: no switch was thrown after it.
SELECT EXISTS (SELECT 1 FROM outbox o WHERE o.mailbox_id = $1 AND o.automatic AND o.cancel_reason = $2
    AND o.decided_at > now() - interval '1 day'
    AND NOT EXISTS (SELECT 1 FROM kill_switches k WHERE k.mailbox_id = $1 AND k.thrown_at >= o.decided_at))

-- name: ceiling_flag_off
UPDATE feature_flags SET is_on = false, changed_by = $2, changed_at = now()
WHERE mailbox_id = $1 AND flag = 'ai.autonomy' AND is_on

-- ---------------------------------------------------------------- what is deleted with time

-- name: retention_metrics
DELETE FROM agent_metrics WHERE (mailbox_id, metric, part, window_start) IN
    (SELECT mailbox_id, metric, part, window_start FROM agent_metrics WHERE window_start < now() - $1::interval LIMIT $2)

-- name: retention_wakes
-- Delivered ones alone; their ids are in the order of time.
DELETE FROM wake_queue WHERE id IN
    (SELECT id FROM wake_queue WHERE id < uuidv7(-$1::interval) AND delivered_at IS NOT NULL ORDER BY id LIMIT $2)

-- name: retention_errors
-- The words of a failure stay while its message may still be tried again.
DELETE FROM error_details WHERE id IN (SELECT d.id FROM error_details d JOIN inbound_messages m ON m.id = d.message_id
    WHERE d.id < uuidv7(-$1::interval) AND m.processing_status IN ('sent', 'rejected', 'archived') ORDER BY d.id LIMIT $2)

-- name: retention_budgets
-- A sender whose next slot lies in the past starts with a full budget anyway.
DELETE FROM rate_budgets WHERE ctid IN
    (SELECT ctid FROM rate_budgets WHERE next_slot_at < now() - $1::interval AND sender <> '' LIMIT $2 FOR UPDATE SKIP LOCKED)

-- name: retention_sessions
DELETE FROM sessions WHERE id_hash IN
    (SELECT id_hash FROM sessions WHERE coalesce(ended_at, seen_at) < now() - $1::interval LIMIT $2)

-- name: retention_sign_ins
DELETE FROM sign_in_failures WHERE subject IN
    (SELECT subject FROM sign_in_failures WHERE last_at < now() - $1::interval LIMIT $2)

-- name: retention_presence
DELETE FROM thread_presence WHERE (thread_id, user_id) IN
    (SELECT thread_id, user_id FROM thread_presence WHERE seen_at < now() - $1::interval LIMIT $2)

-- ---------------------------------------------------------------- health page and API (P120)

-- name: health_series
-- $3 to $4 in slices of $5: shares and means weighed by their samples, costs added up, depths at their highest.
SELECT metric, part, date_bin($5::interval, window_start, $3::timestamptz) AS at, max(basis) AS basis,
    sum(sample_count)::int AS samples,
    CASE WHEN metric = 'llm_cost' THEN sum(value) WHEN metric IN ('queue_depth', 'held_depth') THEN max(value)
        ELSE sum(value * sample_count) / nullif(sum(sample_count), 0) END AS value
FROM agent_metrics WHERE mailbox_id = $1 AND metric = ANY ($2) AND window_start >= $3 AND window_start < $4
GROUP BY metric, part, at ORDER BY metric, part, at LIMIT 20000

-- name: health_breakers
SELECT kind, state, threshold::float8, window_s, min_sample, cool_down_s, probe_limit, probes_used, tripped_at, half_open_at,
    recovered_at, reason, evaluated_at, last_bad, last_total
FROM agent_circuit_breakers WHERE mailbox_id = $1 ORDER BY kind LIMIT 10

-- name: health_holds
SELECT coalesce(hold_reason, '') AS reason, count(*)::int AS mails, min(CASE WHEN hold_reason IS NULL THEN received_at
    ELSE changed_at END) AS oldest
FROM inbound_messages
WHERE mailbox_id = $1 AND processing_status NOT IN ('sent', 'rejected', 'archived')
    AND (hold_reason IS NOT NULL OR processing_status = 'received')
GROUP BY hold_reason ORDER BY reason

-- name: health_costs
-- What models cost since $2, by step and by model; a call without a step goes by its task.
SELECT CASE WHEN grouping(model) = 1 THEN 'step' ELSE 'model' END AS by, coalesce(model, name) AS name, count(*)::int AS calls,
    count(*) FILTER (WHERE outcome = ANY ($3))::int AS failed, sum(tokens_in)::bigint AS tokens_in,
    sum(tokens_out)::bigint AS tokens_out, coalesce(sum(cost_usd), 0) AS usd, bool_or(unpriced) AS unpriced
FROM (SELECT coalesce(step, task) AS name, model, outcome, tokens_in, tokens_out, cost_usd, unpriced
    FROM llm_usage WHERE mailbox_id = $1 AND created_at >= $2) u
GROUP BY GROUPING SETS ((name), (model)) ORDER BY usd DESC, calls DESC, name LIMIT 200

-- name: health_ceilings
SELECT c.daily_budget_usd, c.monthly_budget_usd, b.timezone FROM agent_config c JOIN mailboxes b ON b.id = c.mailbox_id
WHERE c.mailbox_id = $1

-- name: health_trail
SELECT a.at, a.subject, a.after, coalesce(nullif(u.name, ''), u.email, a.actor) AS by_name
FROM audit_log a LEFT JOIN users u ON 'user:' || u.id = a.actor
WHERE a.mailbox_id = $1 AND a.action = 'breaker' AND a.at >= $2 ORDER BY a.at DESC LIMIT 10

-- name: label_message
SELECT m.id, m.mailbox_id, m.classification ->> 'category' AS category FROM inbound_messages m WHERE m.id = $1

-- name: label_set
INSERT INTO category_labels (message_id, mailbox_id, model_category, category, by) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (message_id) DO UPDATE SET category = excluded.category, by = excluded.by, at = now()

-- name: label_of
SELECT category FROM category_labels WHERE message_id = $1

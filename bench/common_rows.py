"""The rows a plain message leaves, in plain SQL, for the other ways of doing our work.

They live in a scratch schema whose tables are copies of ours: same columns, defaults, checks and indexes, but no
foreign keys, triggers or row-level security; functions that statements call are copied too. Each statement changes nothing when it is run again, because all of it
hangs on one guarded row; that is what makes "exactly once" possible without an engine's help.
"""

from typing import Final

import asyncpg

COPY_TABLES: Final = """
DO $$
DECLARE t text;
BEGIN
    CREATE SCHEMA {schema};
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'deskhand' LOOP
        EXECUTE format('CREATE TABLE {schema}.%I (LIKE deskhand.%I INCLUDING ALL)', t, t);
    END LOOP;
END $$
"""
# What the steps' statements call. A name with `deskhand.` before it is a table or a function, but for our two settings.
COPY_FUNCTIONS: Final = """
DO $$
DECLARE f text;
BEGIN
    SET LOCAL check_function_bodies = off;
    FOR f IN SELECT pg_get_functiondef(oid) FROM pg_proc
        WHERE pronamespace = 'deskhand'::regnamespace AND prokind = 'f' AND prorettype <> 'trigger'::regtype
    LOOP
        f := regexp_replace(f, 'deskhand\\.(?!mailbox|writer)', '{schema}.', 'g');
        EXECUTE replace(f, $s$SET search_path TO 'deskhand'$s$, $s$SET search_path TO '{schema}'$s$);
    END LOOP;
END $$
"""
SETTINGS: Final = (
    "organisations", "mailboxes", "mailbox_addresses", "sources", "agent_config", "feature_flags",
    "agent_circuit_breakers",
)  # fmt: skip

# A mail in the queue: what the door leaves behind, written in one transaction per batch.
QUEUE: Final = """
WITH mail AS (
    INSERT INTO accepted_mail (mailbox_id, dedup_key, event_id, source, organisation_id, blob_sha256, raw_kind)
    SELECT b.id, encode(sha256($1), 'hex'), uuidv7(), 'default', b.organisation_id, encode(sha256($1), 'hex'), 'rfc822'
    FROM mailboxes b WHERE b.is_default RETURNING message_id, mailbox_id, organisation_id, blob_sha256
), chunk AS (
    INSERT INTO blob_chunks (organisation_id, sha256, n, bytes) SELECT organisation_id, blob_sha256, 0, $1 FROM mail
), booked AS (
    INSERT INTO ledger_entries (mailbox_id, message_id, to_account, cause)
    SELECT mailbox_id, message_id, 'accepted', 'accept' FROM mail
), queued AS (
    INSERT INTO start_queue (workflow_id, workflow_type, reuse_policy, input)
    SELECT message_id::text, 'bench', 'reject_duplicate', '{}' FROM mail
)
SELECT message_id::text FROM mail
"""
WAITING: Final = """
SELECT workflow_id FROM start_queue WHERE started_at IS NULL ORDER BY created_at, workflow_id LIMIT $1
"""
UNFINISHED: Final = """
SELECT q.workflow_id FROM start_queue q JOIN inbound_messages m ON m.id = q.workflow_id::uuid
WHERE q.started_at IS NOT NULL AND m.processing_status <> 'draft_ready' ORDER BY q.created_at, q.workflow_id
"""
RAW: Final = """
SELECT c.bytes, a.received_at FROM accepted_mail a JOIN blob_chunks c ON c.sha256 = a.blob_sha256
WHERE a.message_id = $1
"""

# $1 message, $2 sender, $3 sender's name, $4 subject, $5 text, $6 language, $7 Message-ID, $8 whole parsed mail,
# $9 participants, $10 headers
RECEIVE: Final = """
WITH taken AS (
    UPDATE start_queue SET started_at = now() WHERE workflow_id = $1::uuid::text AND started_at IS NULL RETURNING 1
), mail AS (
    SELECT a.message_id, a.mailbox_id, a.organisation_id, a.received_at FROM accepted_mail a, taken
    WHERE a.message_id = $1
), moved AS (
    UPDATE accepted_mail a SET account = 'pipeline' FROM mail WHERE a.message_id = mail.message_id
), parsed AS (
    INSERT INTO parsed_mails (message_id, mailbox_id, parser_version, parsed)
    SELECT message_id, mailbox_id, 'bench', $8 FROM mail
), contact AS (
    INSERT INTO contacts (organisation_id, address, name, language) SELECT organisation_id, $2, $3, $6 FROM mail
    ON CONFLICT (organisation_id, address) DO UPDATE SET language = contacts.language RETURNING id
), thread AS (
    INSERT INTO conversation_threads (mailbox_id, subject, normalized_subject, contact_id, contact_identifier,
        message_count, first_message_at, last_message_at)
    SELECT mailbox_id, $4, lower($4), contact.id, $2, 1, received_at, received_at FROM mail, contact
    RETURNING id, mailbox_id
), parties AS (
    INSERT INTO thread_participants (thread_id, mailbox_id, address)
    SELECT id, mailbox_id, unnest($9::text[]) FROM thread
), named AS (
    INSERT INTO mail_ids (mailbox_id, rfc_id, kind, ref_id, thread_id)
    SELECT mailbox_id, $7, 'inbound', $1, id FROM thread
), booked AS (
    INSERT INTO ledger_entries (mailbox_id, message_id, from_account, to_account, cause)
    SELECT mailbox_id, message_id, 'accepted', 'pipeline', 'receive' FROM mail
), entered AS (
    INSERT INTO inbound_messages (id, mailbox_id, thread_id, contact_id, message_id, from_address, from_identity,
        from_name, reply_recipients, subject, text_body, new_text, language, headers, received_at, processing_status)
    SELECT m.message_id, m.mailbox_id, t.id, c.id, $7, $2, $2, $3, ARRAY[$2], $4, $5, $5, $6, $10, m.received_at,
        'received'
    FROM mail m, thread t, contact c RETURNING id, mailbox_id, lifecycle_seq
)
INSERT INTO lifecycle_events (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, accepted)
SELECT id, mailbox_id, lifecycle_seq, 'receive', 'workflow', '', 'received', true FROM entered
"""
ENTER: Final = """
WITH moved AS (
    UPDATE inbound_messages SET processing_status = 'security_check', current_step = 'security_scan',
        lifecycle_seq = lifecycle_seq + 1, changed_at = now()
    WHERE id = $1 AND processing_status = 'received' RETURNING id, mailbox_id, lifecycle_seq
), begun AS (
    INSERT INTO agent_actions (inbound_message_id, mailbox_id, run_no, action_type, status, input, started_at)
    SELECT id, mailbox_id, 1, 'security_scan', 'running', '{"outputs": []}', now() FROM moved
)
INSERT INTO lifecycle_events (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, accepted)
SELECT id, mailbox_id, lifecycle_seq, '1.0:scan:begin', 'workflow', 'received', 'security_check', true FROM moved
"""
CURRENT_STEP: Final = "SELECT current_step FROM inbound_messages WHERE id = $1"
PLACE: Final = "SELECT mailbox_id, thread_id FROM inbound_messages WHERE id = $1"

# What the step stored becomes columns of the message.
_COLUMNS: Final = """
CASE kind
    WHEN 'security_scan' THEN jsonb_build_object('security_flags', output -> 'flags')
    WHEN 'context_retrieval' THEN jsonb_build_object('context_tier', output -> 'tier',
        'context_gaps', output -> 'gaps', 'context_tokens', output -> 'token_count')
    WHEN 'classify' THEN jsonb_build_object('classification', output -> 'classification',
        'intents', output -> 'intents')
    WHEN 'draft' THEN jsonb_build_object('draft_response', output -> 'text', 'draft_subject', output -> 'subject',
        'draft_quality', output -> 'quality', 'confidence_score', output -> 'confidence', 'draft_revision', 0,
        'grounding', jsonb_build_object('score', output -> 'grounding_score', 'facts', output -> 'facts'))
    ELSE jsonb_build_object('decision_id', uuidv7(), 'decision_reason', output -> 'reason')
END
"""
# $1 message, $2 step, $3 next status or null, $4 next step or null, $5 reason, $6 rows of llm_usage as JSON.
# Runs in the transaction in which the step stored its output.
END_STEP: Final = f"""
WITH stored AS MATERIALIZED (
    SELECT output, decision, attempt, duration_ms, model_used, token_usage, {_COLUMNS} AS columns
    FROM step_outputs WHERE message_id = $1 AND run_no = 1 AND kind = $2
), moved AS (
    UPDATE inbound_messages m
    SET (security_flags, context_tier, context_gaps, context_tokens, classification, intents, draft_response,
            draft_subject, draft_quality, confidence_score, grounding, draft_revision, decision_id, decision_reason)
        = (SELECT r.security_flags, r.context_tier, r.context_gaps, r.context_tokens, r.classification, r.intents,
                r.draft_response, r.draft_subject, r.draft_quality, r.confidence_score, r.grounding, r.draft_revision,
                r.decision_id, r.decision_reason
            FROM stored, jsonb_populate_record(m, stored.columns) r),
        processing_status = coalesce($3, m.processing_status),
        current_step = $4,
        review_due_at = CASE WHEN $3 = 'draft_ready' THEN now() + interval '4 hours' END,
        lifecycle_seq = m.lifecycle_seq + 1,
        changed_at = now()
    WHERE m.id = $1 AND m.current_step = $2
    RETURNING m.id, m.mailbox_id, m.thread_id, m.contact_id, m.from_identity, m.subject, new.lifecycle_seq AS seq,
        old.processing_status AS before, new.processing_status AS after, new.draft_response, new.classification,
        new.decision_id
), event AS (
    INSERT INTO lifecycle_events (message_id, mailbox_id, seq, cause_key, actor, from_status, to_status, reason,
        accepted)
    SELECT id, mailbox_id, seq, '1.0:' || $2 || ':end', 'workflow', before, after, $5, true
    FROM moved WHERE before <> after
), closed AS (
    UPDATE agent_actions a
    SET status = 'completed', output = stored.decision, attempts = stored.attempt, duration_ms = stored.duration_ms,
        model_used = stored.model_used, token_usage = stored.token_usage, completed_at = now()
    FROM moved, stored WHERE a.inbound_message_id = moved.id AND a.run_no = 1 AND a.action_type = $2
), begun AS (
    INSERT INTO agent_actions (inbound_message_id, mailbox_id, run_no, action_type, status, started_at)
    SELECT id, mailbox_id, 1, $4, 'running', now() FROM moved WHERE $4 IS NOT NULL
), used AS (
    INSERT INTO llm_usage (mailbox_id, message_id, run_no, task, model, tokens_in, tokens_out, cost_usd, latency_ms,
        outcome)
    SELECT mailbox_id, id, 1, u.task, u.model, u.tokens_in, u.tokens_out, u.cost_usd, u.latency_ms, u.outcome
    FROM moved, jsonb_to_recordset($6) AS u (task text, model text, tokens_in integer, tokens_out integer,
        cost_usd numeric, latency_ms integer, outcome text)
), permanent AS (
    UPDATE contacts c SET permanent = true FROM moved WHERE $2 = 'security_scan' AND c.id = moved.contact_id
), told AS (
    INSERT INTO contact_activities (mailbox_id, contact_id, kind, subject_id, summary)
    SELECT mailbox_id, contact_id, unnest(ARRAY['contact_created', 'inbound_received']), id, left(subject, 120)
    FROM moved WHERE $2 = 'security_scan'
), revised AS (
    INSERT INTO draft_revisions (message_id, mailbox_id, revision, author, text)
    SELECT id, mailbox_id, 0, 'agent', draft_response FROM moved WHERE $2 = 'draft'
), decided AS (
    INSERT INTO autonomy_decisions (id, mailbox_id, message_id, run_no, outcome, stage, gate, reason, evidence,
        verdicts, score, category, sender, draft_revision)
    SELECT moved.decision_id, moved.mailbox_id, moved.id, 1, d.outcome, d.stage, d.gate, d.reason, d.evidence,
        d.verdicts, d.score, moved.classification ->> 'category', moved.from_identity, 0
    FROM moved, stored, jsonb_to_record(stored.output) AS d (outcome text, stage text, gate text, reason text,
        evidence jsonb, verdicts jsonb, score numeric)
    WHERE $2 = 'route'
), shown AS (
    UPDATE conversation_threads t SET latest_draft_status = 'pending' FROM moved
    WHERE $3 = 'draft_ready' AND t.id = moved.thread_id
)
SELECT count(*) FROM moved
"""


async def make_schema(connection: asyncpg.Connection, schema: str) -> None:
    """A scratch schema with our tables and the settings of the installation; `schema` is a plain name of ours."""
    async with connection.transaction():
        await connection.execute(COPY_TABLES.format(schema=schema))
        await connection.execute(COPY_FUNCTIONS.format(schema=schema))
        for table in SETTINGS:
            await connection.execute(f"INSERT INTO {schema}.{table} SELECT * FROM deskhand.{table}")

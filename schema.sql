-- The whole database of Deskhand, commented per table. Applied once as deskhand_owner; the product connects as
-- deskhand_app, which owns nothing, is no superuser and cannot bypass row-level security (HB1).
--
-- Every transaction says for whom it works: SET LOCAL deskhand.mailbox = '<uuid>[,<uuid>…]' or '*' for the worker's own
-- installation-wide work. Without the setting every policy below shows nothing.

CREATE SCHEMA IF NOT EXISTS deskhand;
SET search_path = deskhand, public;

-- ---------------------------------------------------------------- who

-- The owner of mailboxes, users and contacts. The first release runs with one.
CREATE TABLE organisations (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- One shared inbox. Mail for nobody of ours belongs to the mailbox of kind 'unassigned' (RC11a).
CREATE TABLE mailboxes (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    address text NOT NULL,
    name text NOT NULL DEFAULT '',
    timezone text NOT NULL DEFAULT 'UTC',
    kind text NOT NULL DEFAULT 'inbox' CHECK (kind IN ('inbox', 'unassigned')),
    is_default boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, address)
);
CREATE UNIQUE INDEX one_default_mailbox ON mailboxes (organisation_id) WHERE is_default;

-- Every address by which mail reaches a mailbox, in its comparison form (AM7, AM8).
CREATE TABLE mailbox_addresses (
    organisation_id uuid NOT NULL REFERENCES organisations,
    address text NOT NULL,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    PRIMARY KEY (organisation_id, address)
);

-- Senders whose Reply-To is the customer (AM5).
CREATE TABLE form_senders (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    address text NOT NULL,
    dkim_domain text NOT NULL,
    added_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, address)
);

-- Senders whose mail is never held as automatic in this mailbox (P45, C7).
CREATE TABLE automatic_exemptions (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    address text NOT NULL,
    added_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, address)
);

-- People. Roles: viewer reads, reviewer acts on messages, admin does the rest (P97).
CREATE TABLE users (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    email text NOT NULL,
    name text NOT NULL DEFAULT '',
    role text NOT NULL CHECK (role IN ('viewer', 'reviewer', 'admin')),
    password_hash text,
    disabled_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, email)
);

-- API tokens, hashed at rest and scoped (HU8).
CREATE TABLE api_tokens (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    user_id uuid NOT NULL REFERENCES users,
    name text NOT NULL,
    token_hash text NOT NULL UNIQUE,
    scopes text[] NOT NULL CHECK (scopes <@ ARRAY['read', 'propose', 'review', 'admin']),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
);

-- Configured ways in. Secrets are sealed with the organisation key; up to two are active during rotation (RC15).
CREATE TABLE sources (
    name text PRIMARY KEY,
    organisation_id uuid NOT NULL REFERENCES organisations,
    kind text NOT NULL CHECK (kind IN ('mta', 'raw', 'ingest')),
    paused boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE webhook_secrets (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    source text NOT NULL REFERENCES sources,
    sealed bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
CREATE INDEX active_webhook_secrets ON webhook_secrets (source, created_at DESC) WHERE retired_at IS NULL;

-- ---------------------------------------------------------------- the door (RC1-RC13)

-- Received bytes, unchanged, once per digest and organisation; chunks of at most 1 MiB (RC4).
CREATE TABLE blobs (
    organisation_id uuid NOT NULL REFERENCES organisations,
    sha256 text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    size_bytes bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (organisation_id, sha256)
);
CREATE TABLE blob_chunks (
    organisation_id uuid NOT NULL,
    sha256 text NOT NULL,
    n integer NOT NULL,
    bytes bytea NOT NULL,
    PRIMARY KEY (organisation_id, sha256, n),
    FOREIGN KEY (organisation_id, sha256) REFERENCES blobs ON DELETE CASCADE
);
ALTER TABLE blob_chunks ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- One row per distinct event of a source (DK4: an id that came with other content gets its own row).
CREATE TABLE inbound_events (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    source text NOT NULL,
    provider_event_id text NOT NULL,
    body_sha256 text NOT NULL,
    event_type text NOT NULL DEFAULT '',
    flags text[] NOT NULL DEFAULT '{}',
    received_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (source, provider_event_id)
);

-- One row per delivery answered 200: with accepted_mail it gives the identity of GL2.
CREATE TABLE deliveries (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    source text NOT NULL,
    event_id uuid REFERENCES inbound_events,
    outcome text NOT NULL CHECK (outcome IN ('stored', 'duplicate', 'duplicate_of_deleted', 'delivery_event', 'ignored')),
    messages integer NOT NULL DEFAULT 0,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deliveries_by_time ON deliveries (at);

-- Each accepted mail of a mailbox, for good: its id is the message id (RC5). The row outlives deletion as a tombstone (DK5).
CREATE TABLE accepted_mail (
    message_id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    dedup_key text NOT NULL,
    event_id uuid NOT NULL REFERENCES inbound_events,
    source text NOT NULL,
    organisation_id uuid NOT NULL,
    blob_sha256 text,
    raw_kind text NOT NULL CHECK (raw_kind IN ('rfc822', 'provider_json', 'provider_form')),
    account text NOT NULL DEFAULT 'accepted' CHECK (account IN ('accepted', 'poison', 'pipeline', 'deleted')),
    poison_reason text,
    poison_detail text,
    envelope_sender text,
    envelope_recipients text[] NOT NULL DEFAULT '{}',
    rfc_message_id text NOT NULL DEFAULT '',
    verdicts jsonb NOT NULL DEFAULT '{}',
    flags text[] NOT NULL DEFAULT '{}',
    variant_of uuid REFERENCES accepted_mail,
    answered_by uuid REFERENCES accepted_mail,
    received_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (mailbox_id, dedup_key),
    CHECK ((account = 'poison') = (poison_reason IS NOT NULL) OR account = 'deleted')
);
CREATE INDEX accepted_mail_rfc_id ON accepted_mail (mailbox_id, rfc_message_id) WHERE rfc_message_id <> '';
CREATE INDEX accepted_mail_poison ON accepted_mail (received_at, message_id) WHERE account = 'poison';
CREATE INDEX accepted_mail_unparsed ON accepted_mail (received_at) WHERE account = 'accepted';
CREATE INDEX accepted_mail_event ON accepted_mail (event_id);
CREATE INDEX accepted_mail_blob ON accepted_mail (organisation_id, blob_sha256);

-- Workflows to start. Only the relay reads it; started_at is the real guard against a second start (RC13).
CREATE TABLE start_queue (
    workflow_id text NOT NULL,
    start_no integer NOT NULL DEFAULT 0,
    workflow_type text NOT NULL,
    reuse_policy text NOT NULL CHECK (reuse_policy IN ('reject_duplicate', 'allow_duplicate_failed_only')),
    input jsonb NOT NULL,
    summary text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    PRIMARY KEY (workflow_id, start_no)
);
CREATE INDEX start_queue_waiting ON start_queue (created_at) WHERE started_at IS NULL;

-- Signals to deliver, written in the transaction of their cause (P20a).
CREATE TABLE wake_queue (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    workflow_id text NOT NULL,
    signal text NOT NULL DEFAULT 'wake',
    args jsonb NOT NULL DEFAULT '{}',
    cause text NOT NULL UNIQUE,
    created_at timestamptz NOT NULL DEFAULT now(),
    next_try_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    delivered_at timestamptz
);
CREATE INDEX wake_queue_waiting ON wake_queue (created_at) WHERE delivered_at IS NULL;

-- Moves between accounts, written in the transaction of the change (GL2).
CREATE TABLE ledger_entries (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL,
    message_id uuid NOT NULL,
    from_account text NOT NULL DEFAULT '',
    to_account text NOT NULL,
    cause text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ledger_by_message ON ledger_entries (message_id, id);

-- ---------------------------------------------------------------- people and conversations

-- One contact per organisation and address; permanent only after screening (CO1, P44).
CREATE TABLE contacts (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    organisation_id uuid NOT NULL REFERENCES organisations,
    address text NOT NULL,
    channel text NOT NULL DEFAULT 'email' CHECK (channel = 'email'),
    source text NOT NULL DEFAULT 'inbound' CHECK (source = 'inbound'),
    name text NOT NULL DEFAULT '',
    name_set_by text,
    language text NOT NULL DEFAULT '',
    time_zone text NOT NULL DEFAULT '',
    permanent boolean NOT NULL DEFAULT false,
    answered_at timestamptz,
    verified_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (organisation_id, address)
);

-- One conversation of one mailbox.
CREATE TABLE conversation_threads (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    subject text NOT NULL DEFAULT '',
    normalized_subject text NOT NULL DEFAULT '',
    contact_id uuid REFERENCES contacts,
    contact_identifier text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'waiting', 'resolved', 'closed')),
    resolved_at timestamptz,
    assigned_to uuid REFERENCES users,
    latest_draft_status text CHECK (latest_draft_status IN ('pending', 'approved', 'rejected', 'sent')),
    message_count integer NOT NULL DEFAULT 0,
    loop_suspected boolean NOT NULL DEFAULT false,
    first_message_at timestamptz NOT NULL DEFAULT now(),
    last_message_at timestamptz NOT NULL DEFAULT now(),
    snoozed_until timestamptz,
    snooze_returned_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (mailbox_id, id)
);
CREATE INDEX threads_by_subject ON conversation_threads (mailbox_id, contact_identifier, normalized_subject, last_message_at DESC)
    WHERE normalized_subject <> '';
CREATE INDEX threads_by_time ON conversation_threads (mailbox_id, status, last_message_at DESC, id);

-- Who takes part in a thread: From, To or Cc of its messages (TH3), in comparison form.
CREATE TABLE thread_participants (
    thread_id uuid NOT NULL REFERENCES conversation_threads,
    mailbox_id uuid NOT NULL,
    address text NOT NULL,
    PRIMARY KEY (thread_id, address)
);

-- Every Message-ID that resolves to a thread: inbound, sent by us, or the alias a relay gave our mail (TH2).
CREATE TABLE mail_ids (
    mailbox_id uuid NOT NULL,
    rfc_id text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('inbound', 'sent', 'alias')),
    ref_id uuid NOT NULL,
    thread_id uuid NOT NULL REFERENCES conversation_threads,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, rfc_id, kind, ref_id)
);

-- ---------------------------------------------------------------- the message

-- The status graph of P3.1 as pairs; the trigger below lets nothing else through. '' stands for "no row yet".
CREATE TABLE status_edges (
    from_status text NOT NULL,
    to_status text NOT NULL,
    PRIMARY KEY (from_status, to_status)
);
INSERT INTO status_edges VALUES
    ('', 'received'),
    ('received', 'security_check'), ('received', 'classifying'), ('received', 'drafting'), ('received', 'archived'),
    ('security_check', 'quarantined'), ('security_check', 'archived'), ('security_check', 'classifying'),
    ('classifying', 'archived'), ('classifying', 'draft_ready'), ('classifying', 'drafting'),
    ('drafting', 'draft_ready'), ('drafting', 'approved'), ('drafting', 'quarantined'),
    ('draft_ready', 'approved'), ('draft_ready', 'rejected'), ('draft_ready', 'drafting'), ('draft_ready', 'archived'),
    ('approved', 'sent'), ('approved', 'draft_ready'), ('approved', 'failed'), ('approved', 'archived'),
    ('quarantined', 'received'), ('quarantined', 'archived'), ('quarantined', 'draft_ready'),
    ('failed', 'received'), ('failed', 'draft_ready'), ('failed', 'archived'),
    ('archived', 'received'),
    ('received', 'failed'), ('security_check', 'failed'), ('classifying', 'failed'), ('drafting', 'failed'),
    ('drafting', 'archived'),
    ('received', 'draft_ready'), ('security_check', 'draft_ready');

-- One mail in one mailbox on its way through the pipeline. processing_status has one writer: the lifecycle (P15).
CREATE TABLE inbound_messages (
    id uuid PRIMARY KEY REFERENCES accepted_mail (message_id),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    thread_id uuid NOT NULL,
    contact_id uuid REFERENCES contacts,
    message_id text NOT NULL DEFAULT '',
    from_address text NOT NULL DEFAULT '',
    from_identity text NOT NULL DEFAULT '',
    from_name text NOT NULL DEFAULT '',
    reply_to text[] NOT NULL DEFAULT '{}',
    reply_recipients text[] NOT NULL DEFAULT '{}',
    reply_cc text[] NOT NULL DEFAULT '{}',
    reply_confirm text[] NOT NULL DEFAULT '{}',
    to_addresses text[] NOT NULL DEFAULT '{}',
    cc_addresses text[] NOT NULL DEFAULT '{}',
    subject text NOT NULL DEFAULT '',
    text_body text NOT NULL DEFAULT '',
    new_text text NOT NULL DEFAULT '',
    html_body text NOT NULL DEFAULT '',
    language text NOT NULL DEFAULT '',
    in_reply_to text NOT NULL DEFAULT '',
    references_ids text[] NOT NULL DEFAULT '{}',
    headers jsonb NOT NULL DEFAULT '[]',
    attachment_meta jsonb NOT NULL DEFAULT '[]',
    hidden_meta jsonb NOT NULL DEFAULT '[]',
    content_flags text[] NOT NULL DEFAULT '{}',
    auth_verdicts jsonb NOT NULL DEFAULT '{}',
    automatic_class text NOT NULL DEFAULT 'none' CHECK (automatic_class IN ('none', 'A', 'B')),
    automatic_hits jsonb NOT NULL DEFAULT '[]',
    thread_rule text NOT NULL DEFAULT 'new',
    thread_evidence text NOT NULL DEFAULT '',
    maybe_related_thread_id uuid,
    processing_status text NOT NULL CHECK (processing_status IN ('received', 'security_check', 'quarantined',
        'classifying', 'drafting', 'draft_ready', 'approved', 'sent', 'rejected', 'archived', 'failed')),
    hold_reason text CHECK (hold_reason IN ('coalescing', 'rate_budget', 'spend_ceiling', 'llm_breaker', 'agent_off',
        'automatic', 'retry_timer', 'delivery_ambiguous', 'mission')),
    hold_until timestamptz,
    run_no integer NOT NULL DEFAULT 1,
    restart_no integer NOT NULL DEFAULT 0,
    lifecycle_seq integer NOT NULL DEFAULT 0,
    current_step text,
    burst_started_at timestamptz,
    budget_charged text CHECK (budget_charged IN ('sender', 'both')),
    security_flags jsonb,
    classification jsonb,
    intents jsonb,
    draft_response text,
    draft_subject text,
    draft_options jsonb,
    draft_quality jsonb,
    draft_revision integer,
    offline_model boolean NOT NULL DEFAULT false,
    requested_by_person boolean NOT NULL DEFAULT false,
    instructions_id uuid,
    confidence_score numeric(5, 4),
    context_tier text CHECK (context_tier IN ('normal', 'compacted', 'emergency')),
    context_gaps text[],
    context_tokens integer,
    context_seen_message_id uuid,
    grounding jsonb,
    decision_id uuid,
    decision_reason text,
    assigned_to uuid REFERENCES users,
    review_due_at timestamptz,
    review_overdue_at timestamptz,
    error_message text,
    error_type text,
    failed_step text,
    retry_count integer NOT NULL DEFAULT 0,
    archive_reason text CHECK (archive_reason IN ('spam', 'classifier_spam', 'coalesced', 'superseded',
        'sender_blocked', 'automatic', 'dismissed')),
    archived_by_message_id uuid,
    exempt_reasons text[] NOT NULL DEFAULT '{}',
    offered_text_revision_of uuid,
    approval_source text CHECK (approval_source IN ('human', 'auto', 'signal')),
    approved_by text,
    approved_revision integer,
    seen_message_id uuid,
    confirmed_findings jsonb,
    resolve_on_send boolean NOT NULL DEFAULT false,
    send_at timestamptz,
    received_at timestamptz NOT NULL,
    processed_at timestamptz,
    changed_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (mailbox_id, thread_id) REFERENCES conversation_threads (mailbox_id, id),
    CHECK ((processing_status = 'archived') = (archive_reason IS NOT NULL))
);
CREATE INDEX messages_by_status ON inbound_messages (mailbox_id, processing_status, received_at DESC, id);
CREATE INDEX messages_by_thread ON inbound_messages (thread_id, received_at, id);
CREATE INDEX messages_by_sender ON inbound_messages (mailbox_id, from_identity, received_at DESC);
CREATE INDEX messages_overdue_hold ON inbound_messages (hold_until) WHERE hold_until IS NOT NULL;
CREATE INDEX messages_overdue_send ON inbound_messages (send_at) WHERE send_at IS NOT NULL;
CREATE INDEX messages_moving ON inbound_messages (changed_at)
    WHERE processing_status NOT IN ('sent', 'rejected', 'archived');

-- The parser's whole answer, for steps that need more than the columns above.
CREATE TABLE parsed_mails (
    message_id uuid PRIMARY KEY REFERENCES accepted_mail,
    mailbox_id uuid NOT NULL,
    parser_version text NOT NULL,
    parsed jsonb NOT NULL,
    parsed_at timestamptz NOT NULL DEFAULT now()
);

-- Attachments of a message; content is a blob, or was never delivered by the source (AD2).
CREATE TABLE attachments (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    n integer NOT NULL,
    name text NOT NULL,
    declared_type text NOT NULL,
    sniffed_type text NOT NULL DEFAULT '',
    size_bytes bigint NOT NULL,
    sha256 text NOT NULL DEFAULT '',
    flags text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (message_id, n)
);

-- One row per message, run and step kind (P25).
CREATE TABLE agent_actions (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    inbound_message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    run_no integer NOT NULL,
    action_type text NOT NULL CHECK (action_type IN ('security_scan', 'context_retrieval', 'classify', 'draft', 'route')),
    status text NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed', 'skipped')),
    input jsonb NOT NULL DEFAULT '{}',
    output jsonb,
    error_message text,
    retry_count integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    started_at timestamptz,
    completed_at timestamptz,
    duration_ms integer,
    model_used text,
    token_usage jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (inbound_message_id, run_no, action_type)
);

-- What a step found, stored before it returns (P24); deleted after 30 days.
CREATE TABLE step_outputs (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    run_no integer NOT NULL,
    kind text NOT NULL,
    output jsonb NOT NULL,
    decision jsonb NOT NULL DEFAULT '{}',
    attempt integer NOT NULL DEFAULT 1,
    duration_ms integer NOT NULL DEFAULT 0,
    model_used text,
    token_usage jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, run_no, kind)
);
CREATE INDEX step_outputs_by_age ON step_outputs (created_at);

-- Error details named by id, because workflow history carries only a type (P23).
CREATE TABLE error_details (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL,
    message_id uuid NOT NULL,
    step text NOT NULL,
    error_type text NOT NULL,
    detail text NOT NULL,
    attempt integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX error_details_by_message ON error_details (message_id, created_at);

-- The audit trail of statuses: every transition and every refusal, append-only (P18).
CREATE TABLE lifecycle_events (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    seq integer NOT NULL,
    cause_key text NOT NULL,
    actor text NOT NULL,
    from_status text NOT NULL,
    to_status text NOT NULL,
    reason text NOT NULL DEFAULT '',
    accepted boolean NOT NULL,
    temporal_run_id text NOT NULL DEFAULT '',
    at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (message_id, seq)
);

-- Each command once, with its first outcome (P16).
CREATE TABLE lifecycle_commands (
    message_id uuid NOT NULL REFERENCES accepted_mail,
    mailbox_id uuid NOT NULL,
    cause_key text NOT NULL,
    digest text NOT NULL,
    outcome jsonb NOT NULL,
    seq integer NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, cause_key)
);

-- Human requests by request id, because the engine's own de-duplication ends at retention (P97).
CREATE TABLE request_outcomes (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    request_id text NOT NULL,
    message_id uuid NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    digest text NOT NULL,
    outcome jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, request_id)
);

-- Every text of a reply; revision 0 is the agent's (P78).
CREATE TABLE draft_revisions (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    revision integer NOT NULL,
    run_no integer NOT NULL DEFAULT 1,
    author text NOT NULL,
    text text NOT NULL,
    offline_model boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, revision)
);

-- Notes and instructions of reviewers: stored first, named by id (P97).
CREATE TABLE review_notes (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL,
    message_id uuid NOT NULL,
    author text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('note', 'instructions', 'reply')),
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Detector hits a person overruled by a release (P61).
CREATE TABLE scan_bypasses (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    detector text NOT NULL,
    evidence_hash text NOT NULL,
    released_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, detector, evidence_hash)
);

-- What the scan of outgoing text found in a revision (P98a).
CREATE TABLE outbound_findings (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    revision integer NOT NULL,
    finding_id text NOT NULL,
    detector text NOT NULL,
    evidence_hash text NOT NULL,
    place int4range NOT NULL,
    snippet text NOT NULL,
    confirmable boolean NOT NULL,
    PRIMARY KEY (message_id, revision, finding_id)
);

-- Senders we do not draft for, and recipients we do not write to (BO4).
CREATE TABLE address_blocks (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    address text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('blocked_sender', 'suppressed_recipient')),
    reason text NOT NULL DEFAULT '',
    by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, address, kind)
);

-- ---------------------------------------------------------------- sending (OB1-OB12)

-- The one order to send for a reply slot. The row fixes sender, recipients, subject and bytes for good (OB2).
CREATE TABLE outbox (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    message_id uuid NOT NULL REFERENCES inbound_messages,
    thread_id uuid NOT NULL REFERENCES conversation_threads,
    reply_slot text NOT NULL DEFAULT 'reply',
    generation integer NOT NULL DEFAULT 1,
    previous_id uuid REFERENCES outbox,
    state text NOT NULL DEFAULT 'ready'
        CHECK (state IN ('ready', 'sending', 'sent', 'failed_safe', 'ambiguous', 'cancelled', 'bounced')),
    cancel_reason text,
    automatic boolean NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now(),
    decided_by text NOT NULL,
    decision_id uuid,
    revision integer NOT NULL,
    confirmed_findings jsonb NOT NULL DEFAULT '[]',
    seen_message_id uuid,
    sender text NOT NULL,
    sender_name text NOT NULL DEFAULT '',
    recipients text[] NOT NULL,
    cc text[] NOT NULL DEFAULT '{}',
    recipients_hash text NOT NULL,
    subject text NOT NULL,
    body_sha256 text NOT NULL,
    rfc_message_id text NOT NULL UNIQUE,
    send_at timestamptz NOT NULL,
    rendered bytea,
    attempt integer NOT NULL DEFAULT 0,
    deadline timestamptz,
    claimed_at timestamptz,
    first_handed_over_at timestamptz,
    sent_at timestamptz,
    delivered_at timestamptz,
    complained_at timestamptz,
    provider_id text,
    detail text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX one_live_reply_per_slot ON outbox (mailbox_id, message_id, reply_slot)
    WHERE state IN ('ready', 'sending');
CREATE UNIQUE INDEX one_generation_per_slot ON outbox (mailbox_id, message_id, reply_slot, generation)
    WHERE state <> 'cancelled';
CREATE INDEX outbox_pending_by_thread ON outbox (thread_id) WHERE state = 'ready';
CREATE INDEX outbox_pending_by_mailbox ON outbox (mailbox_id, decided_at) WHERE state = 'ready';
CREATE INDEX outbox_overdue ON outbox (deadline) WHERE state = 'sending';
CREATE INDEX outbox_sent_by_thread ON outbox (thread_id, sent_at) WHERE state = 'sent';
CREATE INDEX outbox_by_message ON outbox (message_id, created_at);

-- The build that may claim sends (D8).
CREATE TABLE current_build (
    component text PRIMARY KEY,
    build_id text NOT NULL,
    promoted_at timestamptz NOT NULL DEFAULT now(),
    promoted_by text NOT NULL
);

-- Kill switches thrown and lifted (P92).
CREATE TABLE kill_switches (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    thrown_at timestamptz NOT NULL DEFAULT now(),
    thrown_by text NOT NULL,
    cause text NOT NULL,
    lifted_at timestamptz,
    lifted_by text,
    withdrawn_at timestamptz
);
CREATE INDEX kill_switches_by_mailbox ON kill_switches (mailbox_id, thrown_at DESC);

-- ---------------------------------------------------------------- settings, flags, autonomy

-- One row per mailbox, defaults and ranges of P112.
CREATE TABLE agent_config (
    mailbox_id uuid PRIMARY KEY REFERENCES mailboxes,
    is_auto_reply_enabled boolean NOT NULL DEFAULT false,
    confidence_threshold numeric(3, 2) NOT NULL DEFAULT 0.80 CHECK (confidence_threshold BETWEEN 0 AND 1),
    max_daily_auto_replies integer NOT NULL DEFAULT 100 CHECK (max_daily_auto_replies >= 0),
    daily_auto_reply_count integer NOT NULL DEFAULT 0,
    daily_auto_reply_reset_at timestamptz NOT NULL DEFAULT '-infinity',
    tone_description text NOT NULL DEFAULT '' CHECK (length(tone_description) <= 2000),
    signature_template text NOT NULL DEFAULT '' CHECK (length(signature_template) <= 2000),
    coalesce_window_ms integer CHECK (coalesce_window_ms BETWEEN 0 AND 600000),
    human_undo_ms integer NOT NULL DEFAULT 15000 CHECK (human_undo_ms BETWEEN 0 AND 120000),
    auto_send_delay_ms integer NOT NULL DEFAULT 60000 CHECK (auto_send_delay_ms BETWEEN 0 AND 120000),
    retry_after_s integer NOT NULL DEFAULT 300 CHECK (retry_after_s BETWEEN 10 AND 86400),
    max_retries integer NOT NULL DEFAULT 3 CHECK (max_retries BETWEEN 0 AND 10),
    review_due_after_s integer NOT NULL DEFAULT 14400 CHECK (review_due_after_s >= 60),
    audit_rate numeric(3, 2) NOT NULL DEFAULT 0.05 CHECK (audit_rate BETWEEN 0.05 AND 0.10),
    require_sender_auth boolean NOT NULL DEFAULT true,
    working_hours_enabled boolean NOT NULL DEFAULT false,
    working_hours_zone text NOT NULL DEFAULT '',
    working_hours_days integer[] NOT NULL DEFAULT '{1,2,3,4,5}',
    working_hours_start time NOT NULL DEFAULT '09:00',
    working_hours_end time NOT NULL DEFAULT '17:00',
    holidays_region text NOT NULL DEFAULT '',
    daily_budget_usd numeric(12, 4) CHECK (daily_budget_usd >= 0),
    monthly_budget_usd numeric(12, 4) CHECK (monthly_budget_usd >= 0),
    sender_rate_per_min integer NOT NULL DEFAULT 10 CHECK (sender_rate_per_min BETWEEN 1 AND 100000),
    sender_burst integer NOT NULL DEFAULT 20 CHECK (sender_burst BETWEEN 1 AND 100000),
    mailbox_rate_per_min integer NOT NULL DEFAULT 60 CHECK (mailbox_rate_per_min BETWEEN 1 AND 100000),
    mailbox_burst integer NOT NULL DEFAULT 120 CHECK (mailbox_burst BETWEEN 1 AND 100000),
    knowledge_entry_limit integer NOT NULL DEFAULT 10 CHECK (knowledge_entry_limit BETWEEN 0 AND 50),
    file_limit integer NOT NULL DEFAULT 3 CHECK (file_limit BETWEEN 0 AND 20),
    thread_close_after_days integer NOT NULL DEFAULT 90 CHECK (thread_close_after_days BETWEEN 1 AND 3650)
);

-- ai, ai.agent, ai.autonomy, ai.knowledge; effective = own value and all ancestors' (P112).
CREATE TABLE feature_flags (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    flag text NOT NULL CHECK (flag IN ('ai', 'ai.agent', 'ai.autonomy', 'ai.knowledge')),
    is_on boolean NOT NULL DEFAULT false,
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, flag)
);

-- GCRA state: the theoretical arrival time per sender, and per mailbox under sender '' (P46).
CREATE TABLE rate_budgets (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    sender text NOT NULL,
    next_slot_at timestamptz NOT NULL,
    PRIMARY KEY (mailbox_id, sender)
);

-- Rules by category, or by sender where one is named (P80).
CREATE TABLE autonomy_rules (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    category text NOT NULL CHECK (category IN ('support', 'sales', 'billing', 'feature_request', 'complaint', 'spam',
        'internal', 'other')),
    sender text NOT NULL DEFAULT '',
    mode text NOT NULL DEFAULT 'off' CHECK (mode IN ('off', 'shadow', 'on')),
    mode_basis text CHECK (mode_basis IN ('certificate', 'override')),
    is_enabled boolean GENERATED ALWAYS AS (mode <> 'off') STORED,
    auto_approve_threshold numeric(3, 2) NOT NULL DEFAULT 0.80
        CHECK (auto_approve_threshold = 0.99 OR (auto_approve_threshold BETWEEN 0.50 AND 0.95
            AND (auto_approve_threshold * 100)::int % 5 = 0)),
    max_daily_auto_actions integer NOT NULL DEFAULT 20 CHECK (max_daily_auto_actions >= 0),
    current_daily_count integer NOT NULL DEFAULT 0,
    daily_count_reset_at timestamptz NOT NULL DEFAULT '-infinity',
    warmup_required integer NOT NULL DEFAULT 3 CHECK (warmup_required >= 0),
    target_error_rate numeric(4, 3) NOT NULL DEFAULT 0.05 CHECK (target_error_rate BETWEEN 0.001 AND 0.5),
    working_hours_start time,
    working_hours_end time,
    holidays_region text,
    version integer NOT NULL DEFAULT 1,
    changed_by text NOT NULL DEFAULT 'system',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (mailbox_id, category, sender)
);

-- Restrict-only rules by people (P86a).
CREATE TABLE handling_rules (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    kind text NOT NULL CHECK (kind IN ('never_automatic', 'must_mention')),
    predicate jsonb NOT NULL,
    text text NOT NULL DEFAULT '',
    by text NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Every routing decision, with score and gate verdicts as they stood (P87).
CREATE TABLE autonomy_decisions (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    message_id uuid NOT NULL REFERENCES inbound_messages,
    run_no integer NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('auto_approve', 'human_review')),
    stage text NOT NULL,
    gate text,
    reason text NOT NULL,
    evidence jsonb NOT NULL DEFAULT '{}',
    verdicts jsonb NOT NULL DEFAULT '{}',
    score numeric(5, 4),
    category text NOT NULL,
    sender text NOT NULL DEFAULT '',
    rule_id uuid,
    rule_version integer,
    draft_revision integer,
    would_have_sent boolean NOT NULL DEFAULT false,
    observed boolean NOT NULL DEFAULT false,
    propensity numeric(6, 5),
    matched boolean,
    resolved_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (message_id, run_no)
);
CREATE INDEX autonomy_warmup ON autonomy_decisions (mailbox_id, category, sender) WHERE matched;

-- One row per reviewed message (P88).
CREATE TABLE autonomy_feedback (
    message_id uuid NOT NULL REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    source text NOT NULL DEFAULT 'human' CHECK (source IN ('human', 'outcome')),
    action text NOT NULL CHECK (action IN ('approved', 'edited', 'rejected')),
    category text NOT NULL,
    agent_confidence numeric(5, 4),
    similarity numeric(5, 4),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (message_id, source)
);
CREATE INDEX feedback_by_category ON autonomy_feedback (mailbox_id, category, created_at DESC);

-- Breakers with their own threshold, window, sample and cool-down (P93).
CREATE TABLE agent_circuit_breakers (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    kind text NOT NULL CHECK (kind IN ('llm_failure', 'confidence_degradation', 'rejection_spike')),
    state text NOT NULL DEFAULT 'closed' CHECK (state IN ('closed', 'open', 'half_open')),
    threshold numeric(4, 3) NOT NULL,
    window_s integer NOT NULL,
    min_sample integer NOT NULL,
    cool_down_s integer NOT NULL DEFAULT 900,
    probe_limit integer NOT NULL DEFAULT 3,
    probes_used integer NOT NULL DEFAULT 0,
    tripped_at timestamptz,
    half_open_at timestamptz,
    recovered_at timestamptz,
    PRIMARY KEY (mailbox_id, kind)
);

-- One row per model call, failed ones too (P110). Never a text.
CREATE TABLE llm_usage (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL,
    message_id uuid,
    run_no integer,
    step text,
    task text NOT NULL,
    model text NOT NULL,
    tokens_in integer NOT NULL DEFAULT 0,
    tokens_out integer NOT NULL DEFAULT 0,
    cost_usd numeric(14, 8),
    unpriced boolean NOT NULL DEFAULT false,
    offline boolean NOT NULL DEFAULT false,
    latency_ms integer NOT NULL DEFAULT 0,
    outcome text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX llm_usage_by_time ON llm_usage (mailbox_id, created_at DESC);
CREATE INDEX llm_usage_by_message ON llm_usage (message_id) WHERE message_id IS NOT NULL;

-- ---------------------------------------------------------------- knowledge and trail

-- What may be answered from. contact_id empty = for the whole organisation (P104).
CREATE TABLE knowledge_entries (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    contact_id uuid REFERENCES contacts,
    type text NOT NULL CHECK (type IN ('fact', 'decision', 'event', 'preference', 'goal', 'relationship', 'action_item',
        'faq', 'policy')),
    trust text NOT NULL CHECK (trust IN ('unverified', 'verified', 'policy')),
    said_by text NOT NULL,
    source_message_id uuid,
    title text NOT NULL DEFAULT '',
    content text NOT NULL,
    content_sha256 text NOT NULL,
    expires_at timestamptz,
    superseded_by uuid REFERENCES knowledge_entries,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (mailbox_id, contact_id, title, content_sha256)
);

-- What happened with a contact; unique per kind and subject, so a resumed run writes nothing twice (CO3).
CREATE TABLE contact_activities (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL,
    contact_id uuid NOT NULL REFERENCES contacts,
    kind text NOT NULL CHECK (kind IN ('inbound_received', 'reply_sent', 'bounced', 'thread_reopened', 'contact_created')),
    subject_id uuid NOT NULL,
    summary text NOT NULL DEFAULT '' CHECK (length(summary) <= 120),
    at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (kind, subject_id)
);
CREATE INDEX activities_by_contact ON contact_activities (contact_id, at DESC);

-- Who is looking at or writing in a thread (P121).
CREATE TABLE thread_presence (
    thread_id uuid NOT NULL REFERENCES conversation_threads,
    mailbox_id uuid NOT NULL,
    user_id uuid NOT NULL REFERENCES users,
    mode text NOT NULL CHECK (mode IN ('viewing', 'replying')),
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (thread_id, user_id)
);

-- Every human action and every change of a setting.
CREATE TABLE audit_log (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL DEFAULT '',
    before jsonb,
    after jsonb,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX audit_by_time ON audit_log (at DESC);

-- ---------------------------------------------------------------- walls in the database

-- Statuses move only along the graph, and only inside a lifecycle transaction (P15, P32).
CREATE FUNCTION guard_status() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    old_status text := CASE WHEN TG_OP = 'INSERT' THEN '' ELSE OLD.processing_status END;
BEGIN
    IF TG_OP = 'UPDATE' AND old_status = NEW.processing_status THEN
        RETURN NEW;
    END IF;
    IF current_setting('deskhand.writer', true) IS DISTINCT FROM 'lifecycle' THEN
        RAISE EXCEPTION 'only the lifecycle writes a status' USING ERRCODE = 'DH001';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM deskhand.status_edges e WHERE e.from_status = old_status AND e.to_status = NEW.processing_status) THEN
        RAISE EXCEPTION 'illegal edge % -> %', old_status, NEW.processing_status USING ERRCODE = 'DH002';
    END IF;
    IF TG_OP = 'UPDATE' AND old_status = 'archived' AND OLD.archive_reason NOT IN ('spam', 'classifier_spam', 'coalesced', 'superseded') THEN
        RAISE EXCEPTION 'archived as % is final', OLD.archive_reason USING ERRCODE = 'DH003';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_status BEFORE INSERT OR UPDATE OF processing_status ON inbound_messages
    FOR EACH ROW EXECUTE FUNCTION guard_status();

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'DH004';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON lifecycle_events FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION append_only();

-- The agent's own text never changes (P78).
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON draft_revisions FOR EACH ROW EXECUTE FUNCTION append_only();

-- The relay is woken at commit (RC13).
CREATE FUNCTION notify_relay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('deskhand_relay', TG_TABLE_NAME);
    RETURN NULL;
END $$;
CREATE TRIGGER notify_relay AFTER INSERT ON start_queue FOR EACH STATEMENT EXECUTE FUNCTION notify_relay();
CREATE TRIGGER notify_relay AFTER INSERT ON wake_queue FOR EACH STATEMENT EXECUTE FUNCTION notify_relay();
CREATE TRIGGER notify_relay AFTER INSERT ON kill_switches FOR EACH STATEMENT EXECUTE FUNCTION notify_relay();

-- Second wall of HB1: rows of a mailbox only under that mailbox's setting.
-- The sub-selects are evaluated once a query, not once a row.
CREATE PROCEDURE wall_off(tables text[]) LANGUAGE plpgsql AS $$
DECLARE
    t text;
BEGIN
    FOREACH t IN ARRAY tables LOOP
        EXECUTE format('ALTER TABLE deskhand.%I ENABLE ROW LEVEL SECURITY', t);
        EXECUTE format('CREATE POLICY by_mailbox ON deskhand.%I USING (%s)', t,
            $sees$(SELECT current_setting('deskhand.mailbox', true)) = '*'
            OR mailbox_id::text = ANY (string_to_array((SELECT current_setting('deskhand.mailbox', true)), ','))$sees$);
    END LOOP;
END $$;
REVOKE EXECUTE ON PROCEDURE wall_off FROM PUBLIC;
CALL wall_off(ARRAY['accepted_mail', 'ledger_entries', 'form_senders', 'automatic_exemptions',
    'conversation_threads', 'thread_participants', 'mail_ids', 'inbound_messages', 'parsed_mails', 'attachments',
    'agent_actions', 'step_outputs', 'error_details', 'lifecycle_events', 'lifecycle_commands', 'request_outcomes',
    'draft_revisions', 'review_notes', 'scan_bypasses', 'outbound_findings', 'address_blocks', 'outbox',
    'kill_switches', 'agent_config', 'feature_flags', 'rate_budgets', 'autonomy_rules', 'handling_rules',
    'autonomy_decisions', 'autonomy_feedback', 'agent_circuit_breakers', 'llm_usage', 'knowledge_entries',
    'contact_activities', 'thread_presence']);

GRANT USAGE ON SCHEMA deskhand TO deskhand_app;
GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA deskhand TO deskhand_app;
GRANT DELETE ON blobs, blob_chunks, thread_presence, step_outputs, address_blocks, feature_flags, agent_actions,
    form_senders, automatic_exemptions, outbound_findings, handling_rules, autonomy_rules, knowledge_entries, attachments
    TO deskhand_app;
REVOKE INSERT, UPDATE ON status_edges FROM deskhand_app;


-- ==== block: dashboard
-- What the pages for people keep of their own: sessions, throttling of sign-ins, preferences, read marks, text search, live news.

-- Sessions of people, hashed at rest (HU7). A changed password or role ends them, because both marks stop matching.
CREATE TABLE sessions (
    id_hash text PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users,
    role text NOT NULL,
    password_mark text NOT NULL,
    flash jsonb,
    undo jsonb,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE INDEX sessions_by_user ON sessions (user_id) WHERE ended_at IS NULL;

-- Failed sign-ins per account and per address, by keyed hash: nobody reads here who tried.
CREATE TABLE sign_in_failures (
    subject text PRIMARY KEY,
    failures integer NOT NULL,
    last_at timestamptz NOT NULL DEFAULT now()
);

-- How a person wants the pages; empty means: as the browser says.
CREATE TABLE user_preferences (
    user_id uuid PRIMARY KEY REFERENCES users,
    language text NOT NULL DEFAULT '' CHECK (language IN ('', 'en', 'de')),
    scheme text NOT NULL DEFAULT '' CHECK (scheme IN ('', 'light', 'dark'))
);

-- How far each person has read each conversation.
CREATE TABLE thread_reads (
    user_id uuid NOT NULL REFERENCES users,
    thread_id uuid NOT NULL REFERENCES conversation_threads,
    mailbox_id uuid NOT NULL,
    read_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (user_id, thread_id)
);

-- Subject, people and text of each mail as one vector, written once; a column would be rewritten at every status.
CREATE TABLE message_search (
    message_id uuid PRIMARY KEY REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    words tsvector NOT NULL
);
CREATE INDEX message_search_words ON message_search USING gin (words);
CREATE FUNCTION index_words() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO deskhand.message_search (message_id, mailbox_id, thread_id, words)
    VALUES (NEW.id, NEW.mailbox_id, NEW.thread_id, to_tsvector('simple', left(NEW.subject, 2000) || ' ' || NEW.from_name || ' '
        || NEW.from_address || ' ' || translate(NEW.from_address, '@.', '  ') || ' ' || left(NEW.text_body, 50000)));
    RETURN NULL;
END $$;
CREATE TRIGGER index_words AFTER INSERT ON inbound_messages FOR EACH ROW EXECUTE FUNCTION index_words();

-- Row-level security would keep the planner from the index, because matching text is not leakproof; so the wall of HB1
-- stands in the function itself. It gives the threads of the newest 1000 matches.
CREATE FUNCTION find_threads(asked tsquery) RETURNS TABLE (thread_id uuid)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = deskhand, pg_temp AS $$
    SELECT DISTINCT found.thread_id FROM (
        SELECT s.thread_id FROM message_search s
        WHERE s.words @@ asked AND (current_setting('deskhand.mailbox', true) = '*'
            OR s.mailbox_id::text = ANY (string_to_array(current_setting('deskhand.mailbox', true), ',')))
        ORDER BY s.message_id DESC LIMIT 1000) found
$$;

-- Pages that look at a message hear of its changes at commit.
CREATE FUNCTION notify_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('deskhand_pages', NEW.mailbox_id || ' ' || CASE WHEN TG_TABLE_NAME = 'lifecycle_events'
        THEN to_jsonb(NEW) ->> 'message_id' ELSE '' END);
    RETURN NULL;
END $$;
CREATE TRIGGER notify_pages AFTER INSERT ON lifecycle_events FOR EACH ROW EXECUTE FUNCTION notify_pages();
CREATE TRIGGER notify_pages AFTER INSERT OR UPDATE OF lifted_at ON kill_switches FOR EACH ROW EXECUTE FUNCTION notify_pages();

-- The list of what needs attention starts with threads whose draft waits.
CREATE INDEX threads_with_draft ON conversation_threads (mailbox_id, last_message_at, id) WHERE latest_draft_status = 'pending';
CREATE INDEX messages_doubtful ON inbound_messages (mailbox_id, received_at DESC, id) WHERE hold_reason = 'delivery_ambiguous';

CALL wall_off(ARRAY['thread_reads', 'message_search']);
GRANT SELECT, INSERT, UPDATE ON sessions, sign_in_failures, user_preferences, thread_reads, message_search TO deskhand_app;
GRANT DELETE ON sessions, sign_in_failures TO deskhand_app;
-- ==== end of block: dashboard

-- ==== block: people
-- How people come in beside the password they know: one-time links, and identities at a provider of the organisation's own.

-- Links by which a person sets a password, the first or a new one: 24 hours, one use, hashed at rest (HU7).
CREATE TABLE password_links (
    token_hash text PRIMARY KEY,
    user_id uuid NOT NULL REFERENCES users,
    made_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    voided_at timestamptz
);
CREATE INDEX password_links_open ON password_links (user_id) WHERE used_at IS NULL AND voided_at IS NULL;

-- Who a person is at the identity provider. Known by issuer and subject, since addresses change hands.
CREATE TABLE user_identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    user_id uuid NOT NULL REFERENCES users,
    email text NOT NULL,
    linked_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz,
    PRIMARY KEY (issuer, subject),
    UNIQUE (issuer, user_id)
);
CREATE INDEX identities_by_user ON user_identities (user_id);

-- Sign-ins on their way to the provider and back: one use, ten minutes, bound to the browser that began them.
CREATE TABLE oidc_attempts (
    state_hash text PRIMARY KEY,
    browser_hash text NOT NULL,
    next_page text NOT NULL,
    kept jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX oidc_attempts_by_time ON oidc_attempts (created_at);
GRANT SELECT, INSERT, UPDATE ON password_links, user_identities, oidc_attempts TO deskhand_app;
GRANT DELETE ON user_identities, oidc_attempts TO deskhand_app;
-- ==== end of block: people

-- ==== block: settings
-- An address can be taken from a mailbox; what it brought stays there.
GRANT DELETE ON mailbox_addresses TO deskhand_app;
-- The history of settings is a small part of a large log.
CREATE INDEX audit_of_settings ON audit_log (id DESC) WHERE subject NOT LIKE 'message/%' AND subject NOT LIKE 'thread/%'
    AND action NOT IN ('sign_in', 'sign_out');
-- ==== end of block: settings

-- ==== block: missions
-- Delegated work: what outlives a workflow's history, copied from it or written by its effects (missions.md 6.3).

-- One row per mission, the state copied from its workflow under `seq`; a lower number never overwrites a higher one.
-- superseded_by and carried are written by the lifecycle only (M134).
CREATE TABLE missions (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    workflow_id text NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('case', 'owner')),
    idempotency_key text,
    request_digest text NOT NULL DEFAULT '',
    inbound_message_id uuid REFERENCES inbound_messages,
    predecessor_id uuid REFERENCES missions,
    goal text NOT NULL CHECK (length(goal) BETWEEN 1 AND 20000),
    launched_by text NOT NULL,
    capabilities text[] NOT NULL CHECK (capabilities <@ ARRAY['read', 'retrieve', 'draft', 'save_draft', 'delegate']),
    status text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'owner_gate', 'completed', 'cancelled', 'failed')),
    gate_epoch integer NOT NULL DEFAULT 0,
    current_turn_no integer NOT NULL DEFAULT 0,
    no_progress integer NOT NULL DEFAULT 0,
    wait_reason text NOT NULL DEFAULT '',
    resumed_from text NOT NULL DEFAULT '',
    superseded_by uuid,
    carried jsonb,
    cost_limit_usd numeric(12, 4) CHECK (cost_limit_usd > 0),
    turn_limit integer CHECK (turn_limit > 0),
    cost_usd numeric(14, 8) NOT NULL DEFAULT 0,
    outcome text NOT NULL DEFAULT '',
    summary text NOT NULL DEFAULT '',
    seq integer NOT NULL DEFAULT 0,
    seq_digest text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    closed_at timestamptz,
    UNIQUE (mailbox_id, idempotency_key)
);
CREATE INDEX missions_by_status ON missions (mailbox_id, status, created_at DESC, id);
CREATE INDEX missions_by_message ON missions (inbound_message_id) WHERE inbound_message_id IS NOT NULL;

-- Every turn of every mission and task. receipt_at is the proof of admission: set once, under one generation (D6).
CREATE TABLE mission_turns (
    scope text NOT NULL,
    turn_no integer NOT NULL,
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('owner_input', 'inbox_message', 'assigned_result', 'handoff_results',
        'continuation', 'resume', 'recovery')),
    state text NOT NULL CHECK (state IN ('queued', 'claimed', 'sent', 'admitted', 'finished', 'superseded', 'cancelled')),
    continues_turn_no integer,
    superseded_by integer,
    generation integer NOT NULL DEFAULT 1,
    attempts integer NOT NULL DEFAULT 0,
    wait_reason text NOT NULL DEFAULT '',
    resumed_from text NOT NULL DEFAULT '',
    receipt_at timestamptz,
    resume_token_digest text,
    provider_conversation text,
    build_id text,
    outcome text NOT NULL DEFAULT '',
    said text NOT NULL DEFAULT '',
    model_calls integer NOT NULL DEFAULT 0,
    tool_faults integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    PRIMARY KEY (scope, turn_no)
);
CREATE INDEX mission_turns_by_mission ON mission_turns (mission_id, created_at);

-- What was said in a turn, in order: calls of tools and their answers. Read again by the turn's next step.
CREATE TABLE mission_steps (
    scope text NOT NULL,
    turn_no integer NOT NULL,
    n integer NOT NULL,
    mailbox_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('call', 'answer', 'text')),
    call_id text NOT NULL DEFAULT '',
    tool text NOT NULL DEFAULT '',
    body text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (scope, turn_no, n)
);

-- Bodies of proposed effects, named by id from workflow history.
CREATE TABLE mission_proposals (
    id uuid PRIMARY KEY,
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    scope text NOT NULL,
    turn_no integer NOT NULL,
    call_id text NOT NULL,
    kind text NOT NULL,
    stable_key text NOT NULL,
    digest text NOT NULL,
    body jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- The effect ledger (part 5). A claim is one row; rows are never rewritten out of an absorbing state.
CREATE TABLE mission_effects (
    effect_id uuid PRIMARY KEY DEFAULT uuidv7(),
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    scope text NOT NULL,
    turn_no integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('launch', 'acknowledge', 'complete', 'gate', 'propose_draft', 'result')),
    stable_key text NOT NULL,
    claim_no integer NOT NULL DEFAULT 1,
    external boolean NOT NULL DEFAULT false,
    request_digest text NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'completed', 'rejected', 'indeterminate', 'not_admitted')),
    code text NOT NULL DEFAULT '',
    claim_token text NOT NULL,
    build_id text NOT NULL,
    gate_id text NOT NULL DEFAULT '',
    result_ref text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (scope, turn_no, kind, stable_key, claim_no)
);
CREATE UNIQUE INDEX external_effects_once ON mission_effects (mission_id, kind, stable_key, claim_no) WHERE external;
CREATE INDEX effects_by_mission ON mission_effects (mission_id, created_at);
CREATE TABLE mission_effect_evidence (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    effect_id uuid NOT NULL REFERENCES mission_effects,
    mailbox_id uuid NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('proved_done', 'proved_not_done')),
    proof text NOT NULL,
    by text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE task_stage_edges (
    from_stage text NOT NULL,
    to_stage text NOT NULL,
    PRIMARY KEY (from_stage, to_stage)
);
INSERT INTO task_stage_edges VALUES
    ('admitted', 'working'), ('working', 'recorded'), ('recorded', 'queued'), ('queued', 'delivered'), ('delivered', 'read'),
    ('read', 'acknowledged'), ('acknowledged', 'retired'),
    ('requested', 'admitted'), ('requested', 'not_admitted'), ('not_admitted', 'requested'), ('requested', 'uncertain'),
    ('uncertain', 'admitted'), ('working', 'recovering'), ('recovering', 'working'), ('recovering', 'recorded'),
    ('admitted', 'recovering'), ('admitted', 'recorded'), ('admitted', 'fenced'), ('delivered', 'queued'), ('read', 'queued'),
    ('requested', 'cancelled'), ('not_admitted', 'cancelled'), ('uncertain', 'cancelled'), ('admitted', 'cancelled'),
    ('working', 'cancelled'), ('recovering', 'cancelled'), ('recorded', 'cancelled'), ('queued', 'cancelled'),
    ('delivered', 'cancelled'), ('read', 'cancelled');

-- One launch of one delegation. `scope` is the workflow id without the recovery suffix.
CREATE TABLE task_attempts (
    attempt_id uuid PRIMARY KEY DEFAULT uuidv7(),
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    parent_workflow_id text NOT NULL,
    scope text NOT NULL UNIQUE,
    task_key text NOT NULL,
    attempt_no integer NOT NULL,
    mode text NOT NULL CHECK (mode IN ('assign', 'handoff')),
    profile text NOT NULL DEFAULT 'agent' CHECK (profile IN ('agent', 'intent_draft')),
    goal text NOT NULL,
    contact_id uuid REFERENCES contacts,
    message_id uuid REFERENCES inbound_messages,
    capabilities text[] NOT NULL,
    delegated_by_turn integer NOT NULL,
    supersedes uuid REFERENCES task_attempts,
    stage text NOT NULL DEFAULT 'requested' CHECK (stage IN ('requested', 'not_admitted', 'uncertain', 'admitted', 'working',
        'recovering', 'recorded', 'queued', 'delivered', 'read', 'acknowledged', 'retired', 'fenced', 'cancelled')),
    stage_times jsonb NOT NULL DEFAULT '{}',
    wait_reason text NOT NULL DEFAULT '',
    run_suffix integer NOT NULL DEFAULT 0,
    recovery_used integer NOT NULL DEFAULT 0,
    current_turn_no integer NOT NULL DEFAULT 0,
    no_progress integer NOT NULL DEFAULT 0,
    seq integer NOT NULL DEFAULT 0,
    seq_digest text NOT NULL DEFAULT '',
    reason text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (parent_workflow_id, task_key, attempt_no)
);
CREATE INDEX attempts_by_mission ON task_attempts (mission_id, created_at);

-- The one outcome of an attempt; document, digest and status never change.
CREATE TABLE task_results (
    result_id uuid PRIMARY KEY REFERENCES task_attempts (attempt_id),
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('complete', 'incomplete', 'cancelled')),
    document jsonb NOT NULL,
    digest text NOT NULL,
    verified boolean NOT NULL DEFAULT false,
    recorded_at timestamptz NOT NULL DEFAULT now(),
    delivered_at timestamptz,
    read_at timestamptz,
    acknowledged_at timestamptz,
    acknowledged_by_turn integer,
    used text CHECK (used IN ('used', 'discarded'))
);
CREATE TABLE task_result_conflicts (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    attempt_id uuid NOT NULL REFERENCES task_attempts,
    mailbox_id uuid NOT NULL,
    digest text NOT NULL,
    reason text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);

-- Everything offered to a mission, kept also after it closed: the request id answers for good (M118).
CREATE TABLE mission_inbox (
    item_id uuid PRIMARY KEY DEFAULT uuidv7(),
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    scope text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('owner_input', 'mail', 'assigned_result', 'handoff_result', 'task')),
    input_kind text NOT NULL DEFAULT '',
    gate_epoch integer NOT NULL DEFAULT 0,
    created_turn_no integer NOT NULL DEFAULT 0,
    turn_no integer,
    seq integer NOT NULL DEFAULT 0,
    payload_ref text NOT NULL DEFAULT '',
    payload text NOT NULL DEFAULT '',
    payload_digest text NOT NULL DEFAULT '',
    settings jsonb NOT NULL DEFAULT '{}',
    request_id text NOT NULL,
    gate_id text NOT NULL DEFAULT '',
    actor text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'failed', 'superseded')),
    reason text NOT NULL DEFAULT '',
    applied boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (mission_id, request_id)
);
CREATE INDEX mission_inbox_unapplied ON mission_inbox (created_at) WHERE NOT applied AND kind = 'owner_input';

-- Stops before the owner, with what the owner is told (M132).
CREATE TABLE mission_gates (
    mission_id uuid NOT NULL REFERENCES missions,
    gate_id text NOT NULL,
    mailbox_id uuid NOT NULL,
    gate_epoch integer NOT NULL,
    reason text NOT NULL CHECK (reason IN ('send', 'payment', 'commitment', 'new_recipient_domain', 'ambiguous_meaning',
        'idle_guard', 'limit_reached', 'delivery_failed', 'fault', 'indeterminate_effect')),
    decision_wanted text NOT NULL,
    why_not_derived text NOT NULL,
    finished_meanwhile text NOT NULL,
    cost_of_waiting text NOT NULL,
    safe_next_step text NOT NULL,
    subject_digest text NOT NULL DEFAULT '',
    detail text NOT NULL DEFAULT '',
    state text NOT NULL CHECK (state IN ('requested', 'open_visible', 'answered', 'consumed', 'withdrawn')),
    answered_by uuid,
    request_id text NOT NULL DEFAULT '',
    wait_reason text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mission_id, gate_id)
);
CREATE INDEX gates_waiting ON mission_gates (mailbox_id, created_at) WHERE state = 'open_visible';

-- Append-only progress feed of the pages; never a mail text.
CREATE TABLE mission_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('mission.status', 'turn.state', 'task.stage', 'effect.state', 'gate.opened',
        'gate.answered', 'gate.consumed', 'capacity.wait')),
    subject text NOT NULL,
    value text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX mission_events_by_mission ON mission_events (mission_id, id);

-- Scarce things of the installation (M127).
CREATE TABLE capacity_pools (
    pool text PRIMARY KEY CHECK (pool IN ('resident_missions', 'model_executions', 'work_contexts', 'heavy_jobs')),
    max_leases integer NOT NULL CHECK (max_leases BETWEEN 1 AND 50 AND (pool <> 'resident_missions' OR max_leases >= 2)),
    state text NOT NULL DEFAULT 'normal' CHECK (state IN ('normal', 'draining'))
);
INSERT INTO capacity_pools (pool, max_leases) VALUES
    ('resident_missions', 5), ('model_executions', 3), ('work_contexts', 2), ('heavy_jobs', 1);
CREATE TABLE capacity_leases (
    lease_id uuid PRIMARY KEY DEFAULT uuidv7(),
    pool text NOT NULL REFERENCES capacity_pools,
    holder text NOT NULL,
    mission_id uuid NOT NULL REFERENCES missions,
    mailbox_id uuid NOT NULL,
    wake_workflow_id text NOT NULL,
    state text NOT NULL CHECK (state IN ('waiting', 'granted', 'released', 'expired')),
    reason text NOT NULL DEFAULT '',
    since timestamptz NOT NULL DEFAULT now(),
    granted_at timestamptz,
    released_at timestamptz
);
CREATE UNIQUE INDEX one_lease_per_holder ON capacity_leases (pool, holder) WHERE state IN ('waiting', 'granted');
CREATE INDEX leases_in_line ON capacity_leases (pool, state, lease_id) WHERE state IN ('waiting', 'granted');
CREATE INDEX leases_by_mission ON capacity_leases (mission_id) WHERE state IN ('waiting', 'granted');

-- Who may write a shared object (M86).
CREATE TABLE writer_leases (
    object text PRIMARY KEY,
    mailbox_id uuid NOT NULL,
    holder text NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    retired boolean NOT NULL DEFAULT false,
    since timestamptz NOT NULL DEFAULT now()
);

-- What a mission's model calls cost is summed from the ledger (M47a).
ALTER TABLE llm_usage ADD COLUMN mission_id uuid;
CREATE INDEX llm_usage_by_mission ON llm_usage (mission_id) WHERE mission_id IS NOT NULL;

-- Stages move only along their way (M18), and each one leaves its time and an event.
CREATE FUNCTION guard_stage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.stage = NEW.stage THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' AND NOT EXISTS (SELECT 1 FROM deskhand.task_stage_edges e
        WHERE e.from_stage = OLD.stage AND e.to_stage = NEW.stage) THEN
        RAISE EXCEPTION 'illegal stage % -> %', OLD.stage, NEW.stage USING ERRCODE = 'DH005';
    END IF;
    NEW.stage_times := NEW.stage_times || jsonb_build_object(NEW.stage, clock_timestamp());
    INSERT INTO deskhand.mission_events (mission_id, mailbox_id, kind, subject, value)
    VALUES (NEW.mission_id, NEW.mailbox_id, 'task.stage', NEW.attempt_id::text, NEW.stage);
    RETURN NEW;
END $$;
CREATE TRIGGER guard_stage BEFORE INSERT OR UPDATE OF stage ON task_attempts FOR EACH ROW EXECUTE FUNCTION guard_stage();

-- A closed mission stays closed, and what was acknowledged or proved is never taken back.
CREATE FUNCTION guard_mission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.status IN ('completed', 'cancelled', 'failed') AND NEW.status <> OLD.status THEN
        RAISE EXCEPTION 'mission % is closed', OLD.id USING ERRCODE = 'DH006';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_mission BEFORE UPDATE OF status ON missions FOR EACH ROW EXECUTE FUNCTION guard_mission();
CREATE FUNCTION guard_result() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.result_id, NEW.status, NEW.document, NEW.digest) IS DISTINCT FROM
        (OLD.result_id, OLD.status, OLD.document, OLD.digest)
        OR (OLD.acknowledged_at IS NOT NULL AND NEW.acknowledged_at IS DISTINCT FROM OLD.acknowledged_at) THEN
        RAISE EXCEPTION 'a result never changes' USING ERRCODE = 'DH007';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_result BEFORE UPDATE ON task_results FOR EACH ROW EXECUTE FUNCTION guard_result();
CREATE FUNCTION guard_effect() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state IN ('completed', 'rejected', 'indeterminate') THEN
        RAISE EXCEPTION 'effect % is settled', OLD.effect_id USING ERRCODE = 'DH008';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_effect BEFORE UPDATE ON mission_effects FOR EACH ROW EXECUTE FUNCTION guard_effect();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON mission_effect_evidence FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON task_result_conflicts FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE ON mission_events FOR EACH ROW EXECUTE FUNCTION append_only();

CALL wall_off(ARRAY['missions', 'mission_turns', 'mission_steps', 'mission_proposals', 'mission_effects',
    'mission_effect_evidence', 'task_attempts', 'task_results', 'task_result_conflicts', 'mission_inbox',
    'mission_gates', 'mission_events', 'capacity_leases', 'writer_leases']);
GRANT SELECT, INSERT, UPDATE ON missions, mission_turns, mission_steps, mission_proposals, mission_effects,
    mission_effect_evidence, task_attempts, task_results, task_result_conflicts, mission_inbox, mission_gates,
    mission_events, capacity_leases, writer_leases TO deskhand_app;
GRANT SELECT, UPDATE ON capacity_pools TO deskhand_app;
GRANT SELECT ON task_stage_edges TO deskhand_app;
-- ==== end of block: missions

-- ==== block: metrics
-- The numbers that watch automation (15.1), one row per mailbox, metric and five minutes; kept 7 days. `part` tells the values
-- of one metric apart (a hold reason; mean, p50 or p95), `basis` says what an accuracy rests on. No data, no row.
CREATE TABLE agent_metrics (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    metric text NOT NULL CHECK (metric IN ('queue_depth', 'held_depth', 'processing_latency', 'error_rate',
        'classification_accuracy', 'auto_approve_ratio', 'rejection_rate', 'llm_cost')),
    part text NOT NULL DEFAULT '',
    window_start timestamptz NOT NULL,
    value double precision NOT NULL,
    sample_count integer NOT NULL CHECK (sample_count >= 0),
    basis text NOT NULL DEFAULT '' CHECK (basis IN ('', 'labelled', 'self_reported')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, metric, part, window_start)
);
CREATE INDEX metrics_by_age ON agent_metrics (window_start);

-- What a reviewer says a message is about, beside what the model said; the newest word of people counts (15.1, gate 5).
CREATE TABLE category_labels (
    message_id uuid PRIMARY KEY REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    model_category text NOT NULL,
    category text NOT NULL CHECK (category IN ('support', 'sales', 'billing', 'feature_request', 'complaint', 'spam',
        'internal', 'other')),
    by text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX labels_by_time ON category_labels (mailbox_id, at);

-- Why a breaker is in its state, what it saw last, and whose turn it is while only one model step may run (P96).
ALTER TABLE agent_circuit_breakers ADD COLUMN reason text NOT NULL DEFAULT '', ADD COLUMN evaluated_at timestamptz,
    ADD COLUMN last_bad integer, ADD COLUMN last_total integer, ADD COLUMN turn_holder text, ADD COLUMN turn_until timestamptz,
    ADD COLUMN turn_failed boolean NOT NULL DEFAULT false;

-- Windows are read by time. Block ranges keep updates of these busy tables cheap, their rows lie in the order of time.
CREATE INDEX actions_by_end ON agent_actions USING brin (completed_at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX events_by_time ON lifecycle_events USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
CREATE INDEX decisions_by_time ON autonomy_decisions (mailbox_id, created_at);
CREATE INDEX feedback_by_time ON autonomy_feedback (mailbox_id, created_at);
CREATE INDEX messages_held ON inbound_messages (mailbox_id, hold_reason, changed_at) WHERE hold_reason IS NOT NULL;
CREATE INDEX outbox_claimed_alone ON outbox (mailbox_id, claimed_at) WHERE automatic AND claimed_at IS NOT NULL;

CALL wall_off(ARRAY['agent_metrics', 'category_labels']);
GRANT SELECT, INSERT, UPDATE ON agent_metrics, category_labels TO deskhand_app;
GRANT DELETE ON agent_metrics, wake_queue, error_details, rate_budgets TO deskhand_app;
-- ==== end of block: metrics

-- ==== block: loops, incidents and the way back to a mail of ours
-- Who lifted the mark "this may be two machines"; automatic replies are counted anew from then (LO2, AU11).
ALTER TABLE conversation_threads ADD COLUMN loop_lifted_at timestamptz, ADD COLUMN loop_lifted_by text;

-- When a person last decided about a thread: a reply of their own, or lifting the mark. '-infinity' if nobody did.
CREATE FUNCTION last_human_action(thread uuid) RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT coalesce(greatest((SELECT max(o.decided_at) FROM deskhand.outbox o WHERE o.thread_id = thread AND NOT o.automatic),
        (SELECT t.loop_lifted_at FROM deskhand.conversation_threads t WHERE t.id = thread)), '-infinity')
$$;
CREATE INDEX outbox_by_thread ON outbox (thread_id, decided_at);

-- The workflow that tells a message's story now: a restored message lives on in message/<id>/run/<n> (P29).
CREATE FUNCTION message_workflow(message uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT coalesce((SELECT q.workflow_id FROM deskhand.inbound_messages m CROSS JOIN generate_series(2, m.run_no) n
            JOIN deskhand.start_queue q ON q.workflow_id = 'message/' || m.id || '/run/' || n
            WHERE m.id = message ORDER BY n DESC LIMIT 1), 'message/' || message)
$$;

-- News about a mail we sent names it by the id its provider gave it (AD2).
CREATE INDEX outbox_by_provider_id ON outbox (provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX mail_ids_of_ours ON mail_ids (rfc_id) WHERE kind IN ('sent', 'alias');

-- An automatic reply that went wrong: it came back, was complained of, or was answered in anger (P89). A person
-- acknowledges it; the rule it switched off stays off until a person switches it on.
CREATE TABLE incidents (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    kind text NOT NULL CHECK (kind IN ('bounced', 'complained', 'negative_answer')),
    outbox_id uuid NOT NULL REFERENCES outbox,
    message_id uuid NOT NULL REFERENCES inbound_messages,
    caused_by uuid REFERENCES accepted_mail,
    sender text NOT NULL,
    category text NOT NULL,
    opened_at timestamptz NOT NULL DEFAULT now(),
    acknowledged_at timestamptz,
    acknowledged_by text,
    UNIQUE (outbox_id, kind)
);
CREATE INDEX incidents_open ON incidents (mailbox_id, opened_at DESC) WHERE acknowledged_at IS NULL;
CALL wall_off(ARRAY['incidents']);
GRANT SELECT, INSERT, UPDATE ON incidents TO deskhand_app;
-- ==== end of block: loops, incidents and the way back to a mail of ours

-- ==== block: desk
-- What people keep beside a conversation, and what wakes one that was put off.

-- Notes among colleagues. Only queries/desk.sql reads them: no step, no prompt and no reply ever does.
CREATE TABLE thread_notes (
    id uuid PRIMARY KEY,
    mailbox_id uuid NOT NULL,
    thread_id uuid NOT NULL,
    author_id uuid NOT NULL REFERENCES users,
    text text NOT NULL CHECK (length(text) BETWEEN 1 AND 4000),
    created_at timestamptz NOT NULL DEFAULT now(),
    FOREIGN KEY (mailbox_id, thread_id) REFERENCES conversation_threads (mailbox_id, id)
);
CREATE INDEX thread_notes_by_thread ON thread_notes (thread_id, created_at, id);
CREATE INDEX threads_snoozed ON conversation_threads (snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX messages_overdue ON inbound_messages (mailbox_id, review_due_at) WHERE processing_status = 'draft_ready';
CALL wall_off(ARRAY['thread_notes']);
GRANT SELECT, INSERT ON thread_notes TO deskhand_app;
-- ==== end of block: desk

-- ==== block: knowledge
-- What the team imports, and how it is found again (P104, P107).

-- A file or page of the team's own. `collection` is the folder or export it came with: what a later import of the same
-- collection no longer holds is retired with it.
CREATE TABLE knowledge_documents (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    source text NOT NULL,
    collection text NOT NULL DEFAULT '',
    title text NOT NULL DEFAULT '',
    kind text NOT NULL,
    entry_type text NOT NULL,
    language text NOT NULL DEFAULT '',
    content_sha256 text NOT NULL,
    bytes bigint NOT NULL,
    reader integer NOT NULL,
    imported_by text NOT NULL,
    imported_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz,
    UNIQUE (mailbox_id, source)
);
CREATE INDEX knowledge_documents_by_collection ON knowledge_documents (mailbox_id, collection) WHERE retired_at IS NULL;

-- Language of a text as Postgres stems it; what it has no stemmer for is taken word by word.
CREATE FUNCTION knowledge_stemmer(code text) RETURNS regconfig LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE code WHEN 'en' THEN 'pg_catalog.english'::regconfig WHEN 'de' THEN 'pg_catalog.german'::regconfig
        WHEN 'fr' THEN 'pg_catalog.french'::regconfig WHEN 'es' THEN 'pg_catalog.spanish'::regconfig
        WHEN 'it' THEN 'pg_catalog.italian'::regconfig WHEN 'nl' THEN 'pg_catalog.dutch'::regconfig
        WHEN 'pt' THEN 'pg_catalog.portuguese'::regconfig ELSE 'pg_catalog.simple'::regconfig END
$$;

-- Validity, full-text vector (title above text), and what a person or a later import did to an entry. A retired entry was
-- taken back without a successor. `confidence` is as stated at the time; age lowers it at reading time only. What came out
-- of a mail is unverified until a person says otherwise.
ALTER TABLE knowledge_entries
    ADD COLUMN language text NOT NULL DEFAULT '',
    ADD COLUMN valid_from timestamptz,
    ADD COLUMN confidence real NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    ADD COLUMN fingerprint bigint,
    ADD COLUMN retired_at timestamptz,
    ADD COLUMN promoted_by text,
    ADD COLUMN promoted_at timestamptz,
    ADD COLUMN search tsvector GENERATED ALWAYS AS (
        setweight(to_tsvector(deskhand.knowledge_stemmer(language), title), 'A')
        || setweight(to_tsvector(deskhand.knowledge_stemmer(language), content), 'B')) STORED,
    ADD CONSTRAINT policy_is_for_everybody CHECK (trust <> 'policy' OR contact_id IS NULL),
    ADD CONSTRAINT mail_alone_proves_nothing CHECK (trust = 'unverified' OR source_message_id IS NULL OR promoted_by IS NOT NULL);
CREATE INDEX knowledge_text ON knowledge_entries USING gin (search) WITH (fastupdate = off);
CREATE INDEX knowledge_by_scope ON knowledge_entries (mailbox_id, contact_id);
CREATE INDEX knowledge_by_language ON knowledge_entries (mailbox_id, language);
CREATE INDEX knowledge_by_title ON knowledge_entries (mailbox_id, title, id);
CREATE INDEX knowledge_by_content ON knowledge_entries (mailbox_id, content_sha256);
CREATE INDEX knowledge_followers ON knowledge_entries (superseded_by) WHERE superseded_by IS NOT NULL;

-- Where an entry stands: a passage of a document. A text that two documents hold is one entry with two passages.
CREATE TABLE knowledge_passages (
    document_id uuid NOT NULL REFERENCES knowledge_documents,
    number integer NOT NULL,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    entry_id uuid NOT NULL REFERENCES knowledge_entries ON DELETE CASCADE,
    page integer,
    PRIMARY KEY (document_id, number)
);
CREATE INDEX knowledge_passages_by_entry ON knowledge_passages (entry_id);

-- How entries bear on each other. `contact_id` empty = seen by everybody, as for entries.
CREATE TABLE knowledge_edges (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    contact_id uuid REFERENCES contacts,
    from_entry uuid NOT NULL REFERENCES knowledge_entries ON DELETE CASCADE,
    to_entry uuid NOT NULL REFERENCES knowledge_entries ON DELETE CASCADE CHECK (to_entry <> from_entry),
    relation text NOT NULL CHECK (relation IN ('supports', 'contradicts', 'supersedes', 'relates_to', 'causes', 'blocks')),
    provenance text NOT NULL,
    confidence real NOT NULL DEFAULT 1 CHECK (confidence BETWEEN 0 AND 1),
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE NULLS NOT DISTINCT (from_entry, to_entry, relation, contact_id)
);
CREATE INDEX knowledge_edges_back ON knowledge_edges (to_entry);

-- The models that have made vectors of a mailbox's knowledge. One model, one dimension. Questions go to the one that serves;
-- a new one is building until it has a vector for every entry, then takes over, and what the old one made is thrown away.
CREATE TABLE knowledge_models (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    model text NOT NULL,
    dimensions integer NOT NULL CHECK (dimensions BETWEEN 1 AND 4000),
    state text NOT NULL CHECK (state IN ('serving', 'building', 'leaving')),
    since timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (mailbox_id, model)
);
CREATE UNIQUE INDEX one_serving_model ON knowledge_models (mailbox_id) WHERE state = 'serving';

-- The vectors, apart from the entries, so that two models can stand side by side while one takes over from the other.
-- Each usual dimension has its index; another one is searched without. pgvector indexes up to 2000 numbers of 32 bits,
-- above that 16 bits.
CREATE TABLE knowledge_vectors (
    entry_id uuid NOT NULL REFERENCES knowledge_entries ON DELETE CASCADE,
    model text NOT NULL,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    dimensions integer NOT NULL,
    embedding vector NOT NULL CHECK (vector_dims(embedding) = dimensions),
    PRIMARY KEY (entry_id, model)
);
CREATE INDEX knowledge_vectors_by_model ON knowledge_vectors (mailbox_id, model);
DO $$
DECLARE
    d integer;
BEGIN
    FOREACH d IN ARRAY ARRAY[256, 384, 512, 768, 1024, 1536] LOOP
        EXECUTE format('CREATE INDEX knowledge_vectors_%1$s ON deskhand.knowledge_vectors
            USING hnsw ((embedding::vector(%1$s)) vector_cosine_ops) WHERE dimensions = %1$s', d);
    END LOOP;
    EXECUTE 'CREATE INDEX knowledge_vectors_3072 ON deskhand.knowledge_vectors
        USING hnsw ((embedding::halfvec(3072)) halfvec_cosine_ops) WHERE dimensions = 3072';
END $$;

-- How many entries of a mailbox hold a word, for the weight of rare words; refreshed after imports and now and then. Words
-- that fewer than three entries hold are left out. The word '' holds the number of all entries of a language.
CREATE TABLE knowledge_words (
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    language text NOT NULL,
    word text NOT NULL,
    entries integer NOT NULL,
    PRIMARY KEY (mailbox_id, language, word)
);

-- One run of an import: what it saw, and the reason for every file it did not take.
CREATE TABLE knowledge_imports (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    total integer NOT NULL DEFAULT 0,
    seen integer NOT NULL DEFAULT 0,
    stored integer NOT NULL DEFAULT 0,
    known integer NOT NULL DEFAULT 0,
    retired integer NOT NULL DEFAULT 0,
    refused jsonb NOT NULL DEFAULT '[]',
    started_by text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    beat_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE INDEX knowledge_imports_by_time ON knowledge_imports (mailbox_id, started_at DESC);

-- One-hop expansion of what retrieval found (P107).
ALTER TABLE agent_config ADD COLUMN graph_retrieval boolean NOT NULL DEFAULT false;

-- Entries by their words: the sum of the weights of the question's words they hold, rarest words first, as long as not too
-- many entries have to be read. A word that bears nothing in the question's language is left out; each other one is looked
-- for as every language of this mailbox stems it. `share` is the part of the question's weight that an entry covers; a
-- single word that covers little is a chance meeting of two languages, not an answer; one of the title counts for more. As with find_threads, the wall of HB1 stands in the
-- function: under row-level security the index could not be used. Scope and validity stand in the WHERE clause (P107).
CREATE FUNCTION knowledge_by_words(for_mailbox uuid, for_contact uuid, question text, spoken text, past boolean,
    least_share double precision, most integer)
RETURNS TABLE (entry_id uuid, score double precision, share double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = deskhand, pg_temp AS $$
    WITH total AS MATERIALIZED (
        SELECT coalesce(sum(w.entries), 0) + 1 AS entries FROM knowledge_words w WHERE w.mailbox_id = for_mailbox AND w.word = ''
    ), tongues AS MATERIALIZED (
        SELECT l.language FROM unnest(ARRAY['', 'en', 'de', 'fr', 'es', 'it', 'nl', 'pt']) l (language)
        WHERE EXISTS (SELECT 1 FROM knowledge_entries k WHERE k.mailbox_id = for_mailbox AND k.language = l.language)
    ), said AS MATERIALIZED (
        SELECT u.lexeme AS word FROM unnest(to_tsvector('simple', left(question, 4000))) u
        WHERE to_tsvector(knowledge_stemmer(spoken), u.lexeme) <> ''::tsvector
    ), stems AS (
        SELECT DISTINCT s.word, t.language, u.lexeme
        FROM said s, tongues t, unnest(to_tsvector(knowledge_stemmer(t.language), s.word)) u
    ), asked AS (
        SELECT s.word, string_agg(DISTINCT '''' || replace(replace(s.lexeme, '\', '\\'), '''', '''''') || '''', ' | ') AS forms,
            string_agg(DISTINCT '''' || replace(replace(s.lexeme, '\', '\\'), '''', '''''') || ''':A', ' | ') AS titles,
            coalesce(sum(w.entries), 0) + 1 AS entries,
            ln(1 + (SELECT entries FROM total) / (coalesce(sum(w.entries), 0) + 1.0)) AS weight
        FROM stems s
        LEFT JOIN knowledge_words w ON w.mailbox_id = for_mailbox AND w.language = s.language AND w.word = s.lexeme
        GROUP BY s.word
    ), chosen AS MATERIALIZED (
        SELECT a.*, sum(a.entries) OVER (ORDER BY a.entries, a.word) - a.entries AS before
        FROM asked a ORDER BY a.entries, a.word LIMIT 80
    )
    SELECT hit.id, sum(c.weight * hit.part)::double precision AS score,
        (sum(c.weight) / (SELECT sum(weight) FROM asked))::double precision AS share
    FROM chosen c CROSS JOIN LATERAL (
        SELECT k.id, CASE WHEN k.search @@ c.titles::tsquery THEN 1.5 ELSE 1 END AS part
        FROM knowledge_entries k
        WHERE k.search @@ c.forms::tsquery
            AND (current_setting('deskhand.mailbox', true) = '*'
                OR for_mailbox::text = ANY (string_to_array(current_setting('deskhand.mailbox', true), ',')))
            AND k.mailbox_id = for_mailbox AND (k.contact_id IS NULL OR k.contact_id = for_contact)
            AND (past OR (k.superseded_by IS NULL AND k.retired_at IS NULL
                AND (k.expires_at IS NULL OR k.expires_at > now()) AND (k.valid_from IS NULL OR k.valid_from <= now())))
        LIMIT 2000) hit
    WHERE c.before = 0 OR c.before + c.entries <= 2000
    GROUP BY hit.id
    HAVING count(*) > 1
        OR sum(c.weight * CASE WHEN hit.part > 1 THEN 2.5 ELSE 1 END) >= least_share * (SELECT sum(weight) FROM asked)
    ORDER BY score DESC, hit.id LIMIT most
$$;

-- Entries nearest to a question's vector. The scan of the index goes on until enough entries in scope are found; should it
-- end before, the entries in scope are few, and they are compared one by one. `covered` names models that were asked before:
-- only what they have no vector of is of interest. A row may come twice.
CREATE FUNCTION knowledge_nearest(for_mailbox uuid, for_contact uuid, with_model text, asked vector, past boolean,
    covered text[], most integer) RETURNS TABLE (entry_id uuid, distance double precision)
LANGUAGE plpgsql STABLE SET hnsw.iterative_scan = strict_order SET hnsw.ef_search = 60 SET jit = off AS $$
DECLARE
    d integer := vector_dims(asked);
    width text := CASE WHEN d > 2000 THEN format('halfvec(%s)', d) ELSE format('vector(%s)', d) END;
    near text := format('v.embedding::%1$s <=> $4::%1$s', width);
    found integer;
    body text := $q$ FROM deskhand.knowledge_vectors v JOIN deskhand.knowledge_entries k ON k.id = v.entry_id
        WHERE v.dimensions = %s AND v.model = $3 AND v.mailbox_id = $1 AND k.mailbox_id = $1
            AND (k.contact_id IS NULL OR k.contact_id = $2)
            AND ($5 OR (k.superseded_by IS NULL AND k.retired_at IS NULL
                AND (k.expires_at IS NULL OR k.expires_at > now()) AND (k.valid_from IS NULL OR k.valid_from <= now())))
            AND NOT EXISTS (SELECT 1 FROM deskhand.knowledge_vectors o WHERE o.entry_id = k.id AND o.model = ANY ($6))
        ORDER BY %s LIMIT $7 $q$;
BEGIN
    IF cardinality(covered) = 0 THEN
        body := replace(body, 'AND NOT EXISTS (SELECT 1 FROM deskhand.knowledge_vectors o WHERE o.entry_id = k.id AND o.model = ANY ($6))', '');
    END IF;
    RETURN QUERY EXECUTE 'SELECT v.entry_id, (' || near || ')::double precision' || format(body, d, near)
        USING for_mailbox, for_contact, with_model, asked, past, covered, most;
    GET DIAGNOSTICS found = ROW_COUNT;
    IF found < most THEN
        RETURN QUERY EXECUTE 'SELECT v.entry_id, (' || near || ')::double precision' || format(body, d, '(' || near || ') + 0')
            USING for_mailbox, for_contact, with_model, asked, past, covered, most;
    END IF;
END $$;

-- Counts the words of a mailbox anew.
CREATE FUNCTION knowledge_count_words(for_mailbox uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = deskhand, public, pg_temp AS $$
DECLARE
    tongue text;
BEGIN
    IF current_setting('deskhand.mailbox', true) IS DISTINCT FROM '*'
        AND for_mailbox::text <> ALL (string_to_array(coalesce(current_setting('deskhand.mailbox', true), ''), ',')) THEN
        RETURN;
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('knowledge_words/' || for_mailbox, 0));
    DELETE FROM knowledge_words WHERE mailbox_id = for_mailbox;
    FOR tongue IN SELECT DISTINCT language FROM knowledge_entries WHERE mailbox_id = for_mailbox LOOP
        INSERT INTO knowledge_words (mailbox_id, language, word, entries)
        SELECT for_mailbox, tongue, s.word, s.ndoc FROM ts_stat(format(
            'SELECT search FROM deskhand.knowledge_entries WHERE mailbox_id = %L AND language = %L', for_mailbox, tongue)) s
        WHERE s.ndoc > 2 AND s.word <> '' ORDER BY s.ndoc DESC LIMIT 20000;
        INSERT INTO knowledge_words (mailbox_id, language, word, entries)
        SELECT for_mailbox, tongue, '', count(*) FROM knowledge_entries WHERE mailbox_id = for_mailbox AND language = tongue;
    END LOOP;
END $$;
REVOKE EXECUTE ON FUNCTION knowledge_by_words, knowledge_count_words FROM PUBLIC;
GRANT EXECUTE ON FUNCTION knowledge_by_words, knowledge_count_words TO deskhand_app;

CALL wall_off(ARRAY['knowledge_documents', 'knowledge_passages', 'knowledge_edges', 'knowledge_models',
    'knowledge_vectors', 'knowledge_words', 'knowledge_imports']);
GRANT SELECT, INSERT, UPDATE ON knowledge_documents, knowledge_passages, knowledge_edges, knowledge_models, knowledge_vectors,
    knowledge_imports TO deskhand_app;
GRANT SELECT ON knowledge_words TO deskhand_app;
GRANT DELETE ON knowledge_passages, knowledge_edges, knowledge_models, knowledge_vectors TO deskhand_app;
-- ==== end of block: knowledge

-- ==== block: autonomy
-- What a rule has earned, and what the weekly look suggests (P83, P90, P91a).

-- Evidence counts from evidence_since: a rule that lost its trust earns it anew. mode_since begins the audit watch.
ALTER TABLE autonomy_rules
    ADD COLUMN mode_since timestamptz NOT NULL DEFAULT now(),
    ADD COLUMN evidence_since timestamptz NOT NULL DEFAULT '-infinity',
    ADD COLUMN audit_alert boolean NOT NULL DEFAULT false,
    ADD COLUMN override_reason text NOT NULL DEFAULT '',
    ADD COLUMN adjusted_at timestamptz;
-- Mails a handling rule must hold; `deskhand rules check` asks each again after every change.
ALTER TABLE handling_rules ADD COLUMN examples uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(examples) <= 20);
-- The rate of the audit sample in force when it was decided, drawn or not: the lowest chance of a review any mail then had.
ALTER TABLE autonomy_decisions ADD COLUMN audit_rate numeric(6, 5);
CREATE INDEX decisions_of_rule ON autonomy_decisions (mailbox_id, category, rule_id, created_at) WHERE outcome = 'human_review';
CREATE INDEX decisions_recent ON autonomy_decisions (mailbox_id, category, created_at);

-- A looser threshold the numbers speak for, without a certificate yet; an admin may accept it.
CREATE TABLE autonomy_suggestions (
    rule_id uuid PRIMARY KEY REFERENCES autonomy_rules ON DELETE CASCADE,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    threshold numeric(3, 2) NOT NULL,
    evidence jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CALL wall_off(ARRAY['autonomy_suggestions']);
GRANT SELECT, INSERT, UPDATE, DELETE ON autonomy_suggestions TO deskhand_app;
-- ==== end of block: autonomy

-- ==== block: mining
-- What was kept of which mail, the work through a mailbox's history, and what contradicts what (P106, P108).

-- A message is asked about once; a call that failed is tried three times. `reason` says why a message was passed over.
CREATE TABLE knowledge_extractions (
    message_id uuid PRIMARY KEY REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    outcome text NOT NULL CHECK (outcome IN ('extracted', 'skipped', 'failed')),
    reason text NOT NULL DEFAULT '',
    claims integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 1,
    at timestamptz NOT NULL DEFAULT now()
);

-- One job works through the mail there was when it began, by (received_at, id). The automatic one is made once in a
-- mailbox's life; only one is under way at a time. `run_no` names the workflow that may move the cursor.
CREATE TABLE knowledge_backfill_jobs (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    status text NOT NULL DEFAULT 'running' CHECK (status IN ('running', 'paused', 'stopped', 'cancelled', 'done')),
    automatic boolean NOT NULL,
    started_by text NOT NULL,
    run_no integer NOT NULL DEFAULT 1,
    cursor_at timestamptz NOT NULL DEFAULT '-infinity',
    cursor_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    total integer NOT NULL DEFAULT 0,
    scanned integer NOT NULL DEFAULT 0,
    extracted integer NOT NULL DEFAULT 0,
    skipped integer NOT NULL DEFAULT 0,
    errors integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz
);
CREATE UNIQUE INDEX one_automatic_backfill ON knowledge_backfill_jobs (mailbox_id) WHERE automatic;
CREATE UNIQUE INDEX one_backfill_under_way ON knowledge_backfill_jobs (mailbox_id) WHERE status IN ('running', 'paused');
CREATE INDEX backfills_by_time ON knowledge_backfill_jobs (mailbox_id, created_at DESC);
CREATE INDEX messages_by_arrival ON inbound_messages (mailbox_id, received_at, id);

-- A person looked at a contradiction and let both stand.
ALTER TABLE knowledge_edges ADD COLUMN settled_at timestamptz, ADD COLUMN settled_by text;

-- The few best replies of ours as examples of the voice (P73a); a person may release one as fit for everybody.
ALTER TABLE agent_config ADD COLUMN voice_examples boolean NOT NULL DEFAULT true;
CREATE TABLE voice_releases (
    message_id uuid PRIMARY KEY REFERENCES inbound_messages,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    released_by text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX outbox_by_people ON outbox (mailbox_id, sent_at DESC) WHERE state = 'sent' AND NOT automatic;

-- Attachments of mail that came through, readable again in later conversations of the same contact alone (P62, P64).
-- `refused` says why there is no text; such a file is in no prompt.
CREATE TABLE source_files (
    id uuid PRIMARY KEY DEFAULT uuidv7(),
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    contact_id uuid NOT NULL REFERENCES contacts,
    message_id uuid NOT NULL REFERENCES inbound_messages,
    n integer NOT NULL,
    sha256 text NOT NULL,
    name text NOT NULL,
    title text NOT NULL DEFAULT '',
    summary text NOT NULL DEFAULT '',
    refused text NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (message_id, n)
);
CREATE INDEX source_files_by_contact ON source_files (mailbox_id, contact_id, created_at DESC) WHERE refused = '';
CREATE TABLE source_file_chunks (
    file_id uuid NOT NULL REFERENCES source_files ON DELETE CASCADE,
    number integer NOT NULL,
    mailbox_id uuid NOT NULL REFERENCES mailboxes,
    content text NOT NULL,
    search tsvector GENERATED ALWAYS AS (to_tsvector('pg_catalog.simple', content)) STORED,
    PRIMARY KEY (file_id, number)
);

CALL wall_off(ARRAY['knowledge_extractions', 'knowledge_backfill_jobs', 'voice_releases', 'source_files',
    'source_file_chunks']);
GRANT SELECT, INSERT, UPDATE ON knowledge_extractions, knowledge_backfill_jobs, voice_releases, source_files,
    source_file_chunks TO deskhand_app;
GRANT DELETE ON voice_releases TO deskhand_app;
-- ==== end of block: mining

-- ==== block: mission pages
-- Pages that show missions hear of every step at commit; the payload names the mission and nothing of it.
CREATE FUNCTION notify_mission_pages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('deskhand_pages', NEW.mailbox_id || ' mission/' || NEW.mission_id);
    RETURN NULL;
END $$;
CREATE TRIGGER notify_mission_pages AFTER INSERT ON mission_events FOR EACH ROW EXECUTE FUNCTION notify_mission_pages();
-- A mission's tree is read by its mission.
CREATE INDEX inbox_by_mission ON mission_inbox (mission_id, created_at);
-- ==== end of block: mission pages

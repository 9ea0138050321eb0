CREATE TABLE rota_artifacts (
    run_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    at BIGINT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (run_id, name)
);

CREATE TABLE rota_cancels (
    run_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (run_id, kind)
);

CREATE TABLE rota_changes (
    id INTEGER NOT NULL,
    at BIGINT NOT NULL,
    subject TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    channel TEXT NOT NULL,
    reason TEXT,
    "before" TEXT,
    "after" TEXT,
    PRIMARY KEY (id)
);

CREATE INDEX rota_changes_subject ON rota_changes (subject, id);

CREATE TABLE rota_claims (
    run_id BIGINT NOT NULL,
    token INTEGER NOT NULL,
    node TEXT NOT NULL,
    lane TEXT NOT NULL,
    PRIMARY KEY (run_id)
);

CREATE INDEX rota_claims_node ON rota_claims (node);

CREATE TABLE rota_cursors (
    schedule_id BIGINT NOT NULL,
    definition_id BIGINT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    watermark BIGINT NOT NULL,
    next_at BIGINT,
    due_at BIGINT,
    paused_until BIGINT,
    disabled_reason TEXT,
    cut_until BIGINT,
    last_wall TEXT,
    probe_at BIGINT,
    zone_data TEXT,
    wake_at BIGINT,
    PRIMARY KEY (schedule_id)
);

CREATE INDEX rota_cursors_due ON rota_cursors (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX rota_cursors_unarmed ON rota_cursors (schedule_id) WHERE due_at IS NULL AND state = 'active';

CREATE TABLE rota_decisions (
    id INTEGER NOT NULL,
    schedule_id BIGINT NOT NULL,
    after_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    what TEXT NOT NULL,
    reason TEXT,
    revision INTEGER NOT NULL,
    node TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX rota_decisions_until ON rota_decisions (schedule_id, until_at);

CREATE TABLE rota_definitions (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    schedule_id BIGINT,
    revision INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    when_text TEXT NOT NULL,
    canonical TEXT NOT NULL,
    timezone TEXT,
    zone TEXT NOT NULL,
    job TEXT NOT NULL,
    args TEXT NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    policies TEXT NOT NULL,
    given TEXT NOT NULL,
    anchor TEXT,
    dst_gap TEXT NOT NULL,
    dst_overlap TEXT NOT NULL,
    valid_from BIGINT,
    valid_until BIGINT,
    max_occurrences INTEGER,
    ends_at BIGINT,
    created_at BIGINT NOT NULL
);

CREATE UNIQUE INDEX rota_definitions_job ON rota_definitions ("key", revision) WHERE schedule_id IS NULL;

CREATE UNIQUE INDEX rota_definitions_revision ON rota_definitions (schedule_id, revision);

CREATE TABLE rota_event_inbox (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    at BIGINT NOT NULL,
    subject TEXT NOT NULL,
    code TEXT,
    data TEXT NOT NULL
);

CREATE TABLE rota_events (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    type TEXT NOT NULL,
    at BIGINT NOT NULL,
    subject TEXT NOT NULL,
    code TEXT,
    data TEXT NOT NULL
);

CREATE INDEX rota_events_subject ON rota_events (subject, id);

CREATE TABLE rota_flights (
    flight TEXT NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (flight)
);

CREATE TABLE rota_health (
    schedule_id BIGINT NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    last_success_at BIGINT,
    last_success_for BIGINT,
    PRIMARY KEY (schedule_id)
);

CREATE TABLE rota_jobs (
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    definition_id BIGINT,
    parameters TEXT,
    defaults TEXT NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    origin TEXT,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE rota_lanes (
    name TEXT NOT NULL,
    concurrency INTEGER,
    rate TEXT,
    rate_tokens FLOAT,
    rate_at BIGINT,
    paused BOOLEAN NOT NULL,
    engine TEXT,
    url TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE rota_leases (
    name TEXT NOT NULL,
    node TEXT,
    at BIGINT,
    PRIMARY KEY (name)
);

CREATE TABLE rota_logs (
    run_id BIGINT NOT NULL,
    token INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at BIGINT NOT NULL,
    stream TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, token, seq)
);

CREATE TABLE rota_meta (
    "key" TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY ("key")
);

CREATE TABLE rota_nodes (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    roles TEXT NOT NULL,
    lanes TEXT,
    slots INTEGER NOT NULL,
    state TEXT NOT NULL,
    draining BOOLEAN NOT NULL,
    beats BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL,
    ended_at BIGINT,
    version TEXT NOT NULL,
    zone_data TEXT NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX rota_nodes_state ON rota_nodes (state);

CREATE TABLE rota_owners (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    timezone TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE rota_progress (
    run_id BIGINT NOT NULL,
    done FLOAT NOT NULL,
    total FLOAT,
    at BIGINT NOT NULL,
    PRIMARY KEY (run_id)
);

CREATE TABLE rota_ready (
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (lane, priority, run_id)
);

CREATE TABLE rota_runs (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    schedule_id BIGINT,
    definition_id BIGINT NOT NULL,
    scheduled_for BIGINT,
    scope TEXT,
    invocation TEXT,
    state TEXT NOT NULL,
    reason TEXT,
    cause TEXT NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    flight TEXT,
    waiting BOOLEAN NOT NULL,
    judged BOOLEAN NOT NULL,
    not_before BIGINT,
    admit_at BIGINT,
    expires_at BIGINT,
    attempt INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    token INTEGER NOT NULL,
    node TEXT,
    retry_of BIGINT,
    args TEXT,
    covers_from BIGINT,
    covers_to BIGINT,
    covers_count INTEGER,
    result TEXT,
    error TEXT,
    exit_code INTEGER,
    created_at BIGINT NOT NULL,
    started_at BIGINT,
    finished_at BIGINT
);

CREATE INDEX rota_runs_admit ON rota_runs (admit_at) WHERE admit_at IS NOT NULL;

CREATE UNIQUE INDEX rota_runs_invocation ON rota_runs (scope, invocation) WHERE invocation IS NOT NULL;

CREATE UNIQUE INDEX rota_runs_occurrence ON rota_runs (schedule_id, scheduled_for) WHERE scheduled_for IS NOT NULL AND retry_of IS NULL;

CREATE INDEX rota_runs_schedule ON rota_runs (schedule_id, id) WHERE schedule_id IS NOT NULL;

CREATE INDEX rota_runs_waiting ON rota_runs (flight, id) WHERE waiting;

CREATE TABLE rota_schedules (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    tenant TEXT NOT NULL,
    stack TEXT NOT NULL,
    environment TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT,
    labels TEXT NOT NULL,
    note TEXT,
    source TEXT NOT NULL,
    origin TEXT,
    applied TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    removed_at BIGINT,
    CONSTRAINT rota_schedules_key UNIQUE (tenant, stack, environment, name)
);

CREATE TABLE rota_skips (
    schedule_id BIGINT NOT NULL,
    scheduled_for BIGINT NOT NULL,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (schedule_id, scheduled_for)
);

CREATE TABLE rota_spine (
    one INTEGER NOT NULL,
    PRIMARY KEY (one)
);

CREATE TABLE rota_tenants (
    name TEXT NOT NULL,
    timezone TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (name)
);

INSERT INTO rota_spine (one) VALUES (1);

CREATE TABLE {schema}.artifacts (
    run_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    data BYTEA NOT NULL,
    PRIMARY KEY (run_id, name)
);

CREATE TABLE {schema}.cancels (
    run_id BIGINT NOT NULL,
    kind TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (run_id, kind)
);

CREATE TABLE {schema}.changes (
    id BIGSERIAL NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    subject TEXT NOT NULL,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    channel TEXT NOT NULL,
    reason TEXT,
    before JSONB,
    after JSONB,
    PRIMARY KEY (id)
);

CREATE INDEX changes_subject ON {schema}.changes (subject, id);

CREATE TABLE {schema}.claims (
    run_id BIGINT NOT NULL,
    token INTEGER NOT NULL,
    node TEXT NOT NULL,
    lane TEXT NOT NULL,
    PRIMARY KEY (run_id)
);

CREATE INDEX claims_node ON {schema}.claims (node);

CREATE TABLE {schema}.cursors (
    schedule_id BIGINT NOT NULL,
    definition_id BIGINT NOT NULL,
    revision INTEGER NOT NULL,
    state TEXT NOT NULL,
    watermark TIMESTAMP WITH TIME ZONE NOT NULL,
    next_at TIMESTAMP WITH TIME ZONE,
    due_at TIMESTAMP WITH TIME ZONE,
    paused_until TIMESTAMP WITH TIME ZONE,
    disabled_reason TEXT,
    cut_until TIMESTAMP WITH TIME ZONE,
    last_wall TEXT,
    probe_at TIMESTAMP WITH TIME ZONE,
    zone_data TEXT,
    wake_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (schedule_id)
);

CREATE INDEX cursors_due ON {schema}.cursors (due_at) WHERE due_at IS NOT NULL;

CREATE INDEX cursors_unarmed ON {schema}.cursors (schedule_id) WHERE due_at IS NULL AND state = 'active';

CREATE TABLE {schema}.decisions (
    id BIGSERIAL NOT NULL,
    schedule_id BIGINT NOT NULL,
    after_at TIMESTAMP WITH TIME ZONE NOT NULL,
    until_at TIMESTAMP WITH TIME ZONE NOT NULL,
    what TEXT NOT NULL,
    reason TEXT,
    revision INTEGER NOT NULL,
    node TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX decisions_until ON {schema}.decisions (schedule_id, until_at);

CREATE TABLE {schema}.definitions (
    id BIGSERIAL NOT NULL,
    schedule_id BIGINT,
    revision INTEGER NOT NULL,
    key TEXT NOT NULL,
    when_text TEXT NOT NULL,
    canonical TEXT NOT NULL,
    timezone TEXT,
    zone TEXT NOT NULL,
    job TEXT NOT NULL,
    args JSONB NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    policies JSONB NOT NULL,
    given JSONB NOT NULL,
    anchor TEXT,
    dst_gap TEXT NOT NULL,
    dst_overlap TEXT NOT NULL,
    valid_from TIMESTAMP WITH TIME ZONE,
    valid_until TIMESTAMP WITH TIME ZONE,
    max_occurrences INTEGER,
    ends_at TIMESTAMP WITH TIME ZONE,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (id)
);

CREATE UNIQUE INDEX definitions_job ON {schema}.definitions (key, revision) WHERE schedule_id IS NULL;

CREATE UNIQUE INDEX definitions_revision ON {schema}.definitions (schedule_id, revision);

CREATE TABLE {schema}.event_inbox (
    id BIGSERIAL NOT NULL,
    type TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    subject TEXT NOT NULL,
    code TEXT,
    data JSONB NOT NULL,
    PRIMARY KEY (id)
);

CREATE TABLE {schema}.events (
    id BIGSERIAL NOT NULL,
    type TEXT NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    subject TEXT NOT NULL,
    code TEXT,
    data JSONB NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX events_subject ON {schema}.events (subject, id);

CREATE TABLE {schema}.flights (
    flight TEXT NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (flight)
);

CREATE TABLE {schema}.health (
    schedule_id BIGINT NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    last_success_at TIMESTAMP WITH TIME ZONE,
    last_success_for TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (schedule_id)
);

CREATE TABLE {schema}.jobs (
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    version INTEGER NOT NULL,
    definition_id BIGINT,
    parameters JSONB,
    defaults JSONB NOT NULL,
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    origin TEXT,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE {schema}.lanes (
    name TEXT NOT NULL,
    concurrency INTEGER,
    rate TEXT,
    rate_tokens FLOAT,
    rate_at TIMESTAMP WITH TIME ZONE,
    paused BOOLEAN NOT NULL,
    engine TEXT,
    url TEXT,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE {schema}.leases (
    name TEXT NOT NULL,
    node TEXT,
    at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (name)
);

CREATE TABLE {schema}.logs (
    run_id BIGINT NOT NULL,
    token INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    stream TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run_id, token, seq)
);

CREATE TABLE {schema}.meta (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (key)
);

CREATE TABLE {schema}.nodes (
    id TEXT NOT NULL,
    host TEXT NOT NULL,
    pid INTEGER NOT NULL,
    roles TEXT NOT NULL,
    lanes TEXT,
    slots INTEGER NOT NULL,
    state TEXT NOT NULL,
    draining BOOLEAN NOT NULL,
    beats BIGINT NOT NULL,
    started_at TIMESTAMP WITH TIME ZONE NOT NULL,
    seen_at TIMESTAMP WITH TIME ZONE NOT NULL,
    ended_at TIMESTAMP WITH TIME ZONE,
    version TEXT NOT NULL,
    zone_data TEXT NOT NULL,
    PRIMARY KEY (id)
);

CREATE INDEX nodes_state ON {schema}.nodes (state);

CREATE TABLE {schema}.owners (
    tenant TEXT NOT NULL,
    name TEXT NOT NULL,
    timezone TEXT,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (tenant, name)
);

CREATE TABLE {schema}.progress (
    run_id BIGINT NOT NULL,
    done FLOAT NOT NULL,
    total FLOAT,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (run_id)
);

CREATE TABLE {schema}.ready (
    lane TEXT NOT NULL,
    priority INTEGER NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (lane, priority, run_id)
);

CREATE TABLE {schema}.runs (
    id BIGSERIAL NOT NULL,
    schedule_id BIGINT,
    definition_id BIGINT NOT NULL,
    scheduled_for TIMESTAMP WITH TIME ZONE,
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
    not_before TIMESTAMP WITH TIME ZONE,
    admit_at TIMESTAMP WITH TIME ZONE,
    expires_at TIMESTAMP WITH TIME ZONE,
    attempt INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    token INTEGER NOT NULL,
    node TEXT,
    retry_of BIGINT,
    args JSONB,
    covers_from TIMESTAMP WITH TIME ZONE,
    covers_to TIMESTAMP WITH TIME ZONE,
    covers_count INTEGER,
    result TEXT,
    error JSONB,
    exit_code INTEGER,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    started_at TIMESTAMP WITH TIME ZONE,
    finished_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (id)
)
 WITH (fillfactor = 70);

CREATE INDEX runs_admit ON {schema}.runs (admit_at) WHERE admit_at IS NOT NULL;

CREATE UNIQUE INDEX runs_invocation ON {schema}.runs (scope, invocation) WHERE invocation IS NOT NULL;

CREATE UNIQUE INDEX runs_occurrence ON {schema}.runs (schedule_id, scheduled_for) WHERE scheduled_for IS NOT NULL AND retry_of IS NULL;

CREATE INDEX runs_schedule ON {schema}.runs (schedule_id, id) WHERE schedule_id IS NOT NULL;

CREATE INDEX runs_waiting ON {schema}.runs (flight, id) WHERE waiting;

CREATE TABLE {schema}.schedules (
    id BIGSERIAL NOT NULL,
    tenant TEXT NOT NULL,
    stack TEXT NOT NULL,
    environment TEXT NOT NULL,
    name TEXT NOT NULL,
    owner TEXT,
    labels JSONB NOT NULL,
    note TEXT,
    source TEXT NOT NULL,
    origin TEXT,
    applied JSONB,
    created_at TIMESTAMP WITH TIME ZONE NOT NULL,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    removed_at TIMESTAMP WITH TIME ZONE,
    PRIMARY KEY (id),
    CONSTRAINT schedules_key UNIQUE (tenant, stack, environment, name)
);

CREATE TABLE {schema}.skips (
    schedule_id BIGINT NOT NULL,
    scheduled_for TIMESTAMP WITH TIME ZONE NOT NULL,
    at TIMESTAMP WITH TIME ZONE NOT NULL,
    actor TEXT NOT NULL,
    reason TEXT,
    PRIMARY KEY (schedule_id, scheduled_for)
);

CREATE TABLE {schema}.spine (
    one INTEGER NOT NULL,
    PRIMARY KEY (one)
);

CREATE TABLE {schema}.tenants (
    name TEXT NOT NULL,
    timezone TEXT,
    updated_at TIMESTAMP WITH TIME ZONE NOT NULL,
    PRIMARY KEY (name)
);

INSERT INTO {schema}.spine (one) VALUES (1);

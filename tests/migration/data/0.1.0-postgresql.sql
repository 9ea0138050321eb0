CREATE SCHEMA rota;
CREATE TABLE rota.artifacts (
    run_id bigint NOT NULL,
    name text NOT NULL,
    at timestamp with time zone NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE rota.cancels (
    run_id bigint NOT NULL,
    kind text NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    reason text
);
CREATE TABLE rota.changes (
    id bigint NOT NULL,
    at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    channel text NOT NULL,
    reason text,
    before jsonb,
    after jsonb
);
CREATE SEQUENCE rota.changes_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.changes_id_seq OWNED BY rota.changes.id;
CREATE TABLE rota.claims (
    run_id bigint NOT NULL,
    token integer NOT NULL,
    node text NOT NULL,
    lane text NOT NULL
);
CREATE TABLE rota.cursors (
    schedule_id bigint NOT NULL,
    definition_id bigint NOT NULL,
    revision integer NOT NULL,
    state text NOT NULL,
    watermark timestamp with time zone NOT NULL,
    next_at timestamp with time zone,
    due_at timestamp with time zone,
    paused_until timestamp with time zone,
    disabled_reason text,
    cut_until timestamp with time zone,
    last_wall text,
    probe_at timestamp with time zone,
    zone_data text
);
CREATE TABLE rota.decisions (
    id bigint NOT NULL,
    schedule_id bigint NOT NULL,
    after_at timestamp with time zone NOT NULL,
    until_at timestamp with time zone NOT NULL,
    what text NOT NULL,
    reason text,
    revision integer NOT NULL,
    node text NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE SEQUENCE rota.decisions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.decisions_id_seq OWNED BY rota.decisions.id;
CREATE TABLE rota.definitions (
    id bigint NOT NULL,
    schedule_id bigint,
    revision integer NOT NULL,
    key text NOT NULL,
    when_text text NOT NULL,
    canonical text NOT NULL,
    timezone text,
    zone text NOT NULL,
    job text NOT NULL,
    args jsonb NOT NULL,
    lane text NOT NULL,
    priority integer NOT NULL,
    policies jsonb NOT NULL,
    given jsonb NOT NULL,
    anchor text,
    dst_gap text NOT NULL,
    dst_overlap text NOT NULL,
    valid_from timestamp with time zone,
    valid_until timestamp with time zone,
    max_occurrences integer,
    ends_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE rota.definitions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.definitions_id_seq OWNED BY rota.definitions.id;
CREATE TABLE rota.event_inbox (
    id bigint NOT NULL,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    code text,
    data jsonb NOT NULL
);
CREATE SEQUENCE rota.event_inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.event_inbox_id_seq OWNED BY rota.event_inbox.id;
CREATE TABLE rota.events (
    id bigint NOT NULL,
    type text NOT NULL,
    at timestamp with time zone NOT NULL,
    subject text NOT NULL,
    code text,
    data jsonb NOT NULL
);
CREATE SEQUENCE rota.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.events_id_seq OWNED BY rota.events.id;
CREATE TABLE rota.flights (
    flight text NOT NULL,
    run_id bigint NOT NULL
);
CREATE TABLE rota.health (
    schedule_id bigint NOT NULL,
    consecutive_failures integer NOT NULL,
    last_success_at timestamp with time zone,
    last_success_for timestamp with time zone
);
CREATE TABLE rota.jobs (
    name text NOT NULL,
    kind text NOT NULL,
    version integer NOT NULL,
    definition_id bigint,
    parameters jsonb,
    defaults jsonb NOT NULL,
    lane text NOT NULL,
    priority integer NOT NULL,
    origin text,
    created_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
CREATE TABLE rota.lanes (
    name text NOT NULL,
    concurrency integer,
    rate text,
    rate_tokens double precision,
    rate_at timestamp with time zone,
    paused boolean NOT NULL,
    engine text,
    url text,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE rota.leases (
    name text NOT NULL,
    node text,
    at timestamp with time zone
);
CREATE TABLE rota.logs (
    run_id bigint NOT NULL,
    token integer NOT NULL,
    seq integer NOT NULL,
    at timestamp with time zone NOT NULL,
    stream text NOT NULL,
    text text NOT NULL
);
CREATE TABLE rota.meta (
    key text NOT NULL,
    value text NOT NULL
);
CREATE TABLE rota.nodes (
    id text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    roles text NOT NULL,
    lanes text,
    slots integer NOT NULL,
    state text NOT NULL,
    draining boolean NOT NULL,
    beats bigint NOT NULL,
    started_at timestamp with time zone NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    version text NOT NULL,
    zone_data text NOT NULL
);
CREATE TABLE rota.owners (
    tenant text NOT NULL,
    name text NOT NULL,
    timezone text,
    updated_at timestamp with time zone NOT NULL
);
CREATE TABLE rota.progress (
    run_id bigint NOT NULL,
    done double precision NOT NULL,
    total double precision,
    at timestamp with time zone NOT NULL
);
CREATE TABLE rota.ready (
    lane text NOT NULL,
    priority integer NOT NULL,
    run_id bigint NOT NULL
);
CREATE TABLE rota.rota_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE rota.runs (
    id bigint NOT NULL,
    schedule_id bigint,
    definition_id bigint NOT NULL,
    scheduled_for timestamp with time zone,
    scope text,
    invocation text,
    state text NOT NULL,
    reason text,
    cause text NOT NULL,
    lane text NOT NULL,
    priority integer NOT NULL,
    flight text,
    waiting boolean NOT NULL,
    judged boolean NOT NULL,
    not_before timestamp with time zone,
    admit_at timestamp with time zone,
    expires_at timestamp with time zone,
    attempt integer NOT NULL,
    lost integer NOT NULL,
    token integer NOT NULL,
    node text,
    retry_of bigint,
    args jsonb,
    covers_from timestamp with time zone,
    covers_to timestamp with time zone,
    covers_count integer,
    result text,
    error jsonb,
    exit_code integer,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone
)
WITH (fillfactor='70');
CREATE SEQUENCE rota.runs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.runs_id_seq OWNED BY rota.runs.id;
CREATE TABLE rota.schedules (
    id bigint NOT NULL,
    tenant text NOT NULL,
    stack text NOT NULL,
    environment text NOT NULL,
    name text NOT NULL,
    owner text,
    labels jsonb NOT NULL,
    note text,
    source text NOT NULL,
    origin text,
    applied jsonb,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    removed_at timestamp with time zone
);
CREATE SEQUENCE rota.schedules_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE rota.schedules_id_seq OWNED BY rota.schedules.id;
CREATE TABLE rota.skips (
    schedule_id bigint NOT NULL,
    scheduled_for timestamp with time zone NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL,
    reason text
);
CREATE TABLE rota.spine (
    one integer NOT NULL
);
CREATE TABLE rota.tenants (
    name text NOT NULL,
    timezone text,
    updated_at timestamp with time zone NOT NULL
);
ALTER TABLE ONLY rota.changes ALTER COLUMN id SET DEFAULT nextval('rota.changes_id_seq'::regclass);
ALTER TABLE ONLY rota.decisions ALTER COLUMN id SET DEFAULT nextval('rota.decisions_id_seq'::regclass);
ALTER TABLE ONLY rota.definitions ALTER COLUMN id SET DEFAULT nextval('rota.definitions_id_seq'::regclass);
ALTER TABLE ONLY rota.event_inbox ALTER COLUMN id SET DEFAULT nextval('rota.event_inbox_id_seq'::regclass);
ALTER TABLE ONLY rota.events ALTER COLUMN id SET DEFAULT nextval('rota.events_id_seq'::regclass);
ALTER TABLE ONLY rota.runs ALTER COLUMN id SET DEFAULT nextval('rota.runs_id_seq'::regclass);
ALTER TABLE ONLY rota.schedules ALTER COLUMN id SET DEFAULT nextval('rota.schedules_id_seq'::regclass);
INSERT INTO rota.changes VALUES (1, '2026-12-01 04:00:23.496129+05:45', 'default/default/default/nightly', 'created', 'rota', 'code', 'declared by code:tests.migration.dump:rota', NULL, '{"job": "nightly", "when": "every day at 03:15", "timezone": "Europe/Stockholm"}');
INSERT INTO rota.changes VALUES (2, '2026-12-01 04:00:23.576494+05:45', 'default/default/default/tick', 'created', 'rota', 'code', 'declared by code:tests.migration.dump:rota', NULL, '{"job": "tick", "when": "every second"}');
INSERT INTO rota.changes VALUES (3, '2026-12-01 04:00:27.62357+05:45', 'default/default/default/nightly', 'updated', 'python', 'python', 'the backup moved', '{"when": "every day at 03:15"}', '{"when": "every day at 04:15"}');
INSERT INTO rota.changes VALUES (4, '2026-12-01 04:00:27.669645+05:45', 'default/default/default/tick', 'paused', 'python', 'python', 'for the dump', '{"state": "active", "paused_until": null}', '{"state": "paused", "paused_until": null}');
INSERT INTO rota.changes VALUES (5, '2026-12-01 04:00:27.777974+05:45', 'default/default/default/tick', 'resumed', 'python', 'python', NULL, '{"state": "paused", "paused_until": null}', '{"state": "active", "paused_until": null}');
INSERT INTO rota.cursors VALUES (1, 3, 2, 'active', '2026-12-01 04:00:27.62357+05:45', '2026-12-01 09:00:00+05:45', '2026-12-01 09:00:00+05:45', NULL, NULL, NULL, NULL, NULL, '2026f');
INSERT INTO rota.cursors VALUES (2, 2, 1, 'active', '2026-12-01 04:00:27.777974+05:45', '2026-12-01 04:00:28+05:45', '2026-12-01 04:00:28+05:45', NULL, NULL, NULL, NULL, NULL, '2026f');
INSERT INTO rota.definitions VALUES (1, 1, 1, 'default/default/default/nightly', 'every day at 03:15', 'every day at 03:15', 'Europe/Stockholm', 'Europe/Stockholm', 'nightly', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "skip", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:00:23.496129+05:45');
INSERT INTO rota.definitions VALUES (2, 2, 1, 'default/default/default/tick', 'every second', 'every second', NULL, 'UTC', 'tick', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 1}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "queue_one", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:00:23.576494+05:45');
INSERT INTO rota.definitions VALUES (3, 1, 2, 'default/default/default/nightly', 'every day at 04:15', 'every day at 04:15', 'Europe/Stockholm', 'Europe/Stockholm', 'nightly', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "skip", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:00:27.62357+05:45');
INSERT INTO rota.event_inbox VALUES (111, 'run.succeeded', '2026-12-01 04:00:27.132468+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 54, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.event_inbox VALUES (112, 'node.stopped', '2026-12-01 04:00:27.179672+05:45', 'aa536699ae6a4b818038a3ac06b6403d', NULL, '{}');
INSERT INTO rota.event_inbox VALUES (114, 'schedule.paused', '2026-12-01 04:00:27.669645+05:45', 'default/default/default/tick', NULL, '{"by": "python", "job": "tick", "after": {"state": "paused", "paused_until": null}, "before": {"state": "active", "paused_until": null}, "reason": "for the dump", "channel": "python", "schedule_id": 2}');
INSERT INTO rota.event_inbox VALUES (115, 'schedule.resumed', '2026-12-01 04:00:27.777974+05:45', 'default/default/default/tick', NULL, '{"by": "python", "job": "tick", "after": {"state": "active", "paused_until": null}, "before": {"state": "paused", "paused_until": null}, "reason": null, "channel": "python", "schedule_id": 2}');
INSERT INTO rota.event_inbox VALUES (113, 'schedule.updated', '2026-12-01 04:00:27.62357+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "after": {"when": "every day at 04:15"}, "before": {"when": "every day at 03:15"}, "reason": "the backup moved", "channel": "python", "schedule_id": 1}');
INSERT INTO rota.events VALUES (1, 'schedule.created', '2026-12-01 04:00:23.496129+05:45', 'default/default/default/nightly', NULL, '{"by": "rota", "job": "nightly", "after": {"job": "nightly", "when": "every day at 03:15", "timezone": "Europe/Stockholm"}, "before": null, "reason": "declared by code:tests.migration.dump:rota", "channel": "code", "schedule_id": 1}');
INSERT INTO rota.events VALUES (2, 'schedule.created', '2026-12-01 04:00:23.576494+05:45', 'default/default/default/tick', NULL, '{"by": "rota", "job": "tick", "after": {"job": "tick", "when": "every second"}, "before": null, "reason": "declared by code:tests.migration.dump:rota", "channel": "code", "schedule_id": 2}');
INSERT INTO rota.events VALUES (3, 'node.started', '2026-12-01 04:00:23.672956+05:45', 'aa536699ae6a4b818038a3ac06b6403d', NULL, '{"pid": 7517, "host": "vm", "lanes": null, "roles": "scheduler,worker", "slots": 100, "version": "0.1.0"}');
INSERT INTO rota.events VALUES (4, 'run.requested', '2026-12-01 04:00:23.740981+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 1, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (5, 'run.succeeded', '2026-12-01 04:00:23.803092+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 1, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (6, 'run.requested', '2026-12-01 04:00:23.825186+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 2, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (7, 'run.succeeded', '2026-12-01 04:00:23.851928+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 2, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (8, 'run.requested', '2026-12-01 04:00:23.885236+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 3, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (9, 'run.succeeded', '2026-12-01 04:00:23.941323+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 3, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (10, 'run.requested', '2026-12-01 04:00:23.981538+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 4, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (11, 'run.succeeded', '2026-12-01 04:00:24.007337+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 4, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (12, 'schedule.fired', '2026-12-01 04:00:24.001136+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 5, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:24+00:00"}');
INSERT INTO rota.events VALUES (13, 'run.requested', '2026-12-01 04:00:24.049259+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 6, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (14, 'run.succeeded', '2026-12-01 04:00:24.050639+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 5, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:24Z"}');
INSERT INTO rota.events VALUES (15, 'run.succeeded', '2026-12-01 04:00:24.072372+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 6, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (16, 'run.requested', '2026-12-01 04:00:24.09416+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 7, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (17, 'run.succeeded', '2026-12-01 04:00:24.10728+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 7, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (18, 'run.requested', '2026-12-01 04:00:24.117525+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 8, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (19, 'run.succeeded', '2026-12-01 04:00:24.138487+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 8, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (20, 'run.requested', '2026-12-01 04:00:24.159593+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 9, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (21, 'run.succeeded', '2026-12-01 04:00:24.186946+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 9, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (22, 'run.requested', '2026-12-01 04:00:24.232687+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 10, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (23, 'run.succeeded', '2026-12-01 04:00:24.244623+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 10, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (24, 'run.requested', '2026-12-01 04:00:24.263228+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 11, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (25, 'run.succeeded', '2026-12-01 04:00:24.275069+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 11, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (26, 'run.requested', '2026-12-01 04:00:24.28554+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 12, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (27, 'run.succeeded', '2026-12-01 04:00:24.308324+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 12, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (28, 'run.requested', '2026-12-01 04:00:24.365521+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 13, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (29, 'run.succeeded', '2026-12-01 04:00:24.38961+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 13, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (30, 'run.requested', '2026-12-01 04:00:24.411769+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 14, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (31, 'run.succeeded', '2026-12-01 04:00:24.429123+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 14, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (32, 'run.requested', '2026-12-01 04:00:24.437675+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 15, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (33, 'run.succeeded', '2026-12-01 04:00:24.478729+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 15, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (38, 'run.requested', '2026-12-01 04:00:24.591989+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 18, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (39, 'run.succeeded', '2026-12-01 04:00:24.634496+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 18, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (50, 'run.requested', '2026-12-01 04:00:24.936887+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 24, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (51, 'run.succeeded', '2026-12-01 04:00:24.985606+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 24, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (84, 'schedule.fired', '2026-12-01 04:00:26.028219+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 41, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:26+00:00"}');
INSERT INTO rota.events VALUES (85, 'run.succeeded', '2026-12-01 04:00:26.042574+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 41, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:26Z"}');
INSERT INTO rota.events VALUES (34, 'run.requested', '2026-12-01 04:00:24.51758+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 16, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (35, 'run.succeeded', '2026-12-01 04:00:24.538378+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 16, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (36, 'run.requested', '2026-12-01 04:00:24.549982+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 17, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (37, 'run.succeeded', '2026-12-01 04:00:24.574512+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 17, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (40, 'run.requested', '2026-12-01 04:00:24.646523+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 19, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (41, 'run.succeeded', '2026-12-01 04:00:24.664516+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 19, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (42, 'run.requested', '2026-12-01 04:00:24.679505+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 20, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (43, 'run.succeeded', '2026-12-01 04:00:24.729196+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 20, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (62, 'run.requested', '2026-12-01 04:00:25.161479+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 30, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (63, 'run.succeeded', '2026-12-01 04:00:25.178623+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 30, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (64, 'run.requested', '2026-12-01 04:00:25.191717+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 31, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (65, 'run.succeeded', '2026-12-01 04:00:25.201738+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 31, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (66, 'run.requested', '2026-12-01 04:00:25.246512+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 32, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (67, 'run.succeeded', '2026-12-01 04:00:25.309065+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 32, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (78, 'run.requested', '2026-12-01 04:00:25.846592+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 38, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (79, 'run.succeeded', '2026-12-01 04:00:25.866356+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 38, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (80, 'run.requested', '2026-12-01 04:00:25.87492+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 39, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (81, 'run.succeeded', '2026-12-01 04:00:25.887017+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 39, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (90, 'run.requested', '2026-12-01 04:00:26.205595+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 44, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (91, 'run.succeeded', '2026-12-01 04:00:26.237343+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 44, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (92, 'run.requested', '2026-12-01 04:00:26.298374+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 45, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (93, 'run.succeeded', '2026-12-01 04:00:26.313067+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 45, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (94, 'run.requested', '2026-12-01 04:00:26.366311+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 46, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (95, 'run.succeeded', '2026-12-01 04:00:26.383847+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 46, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (96, 'run.requested', '2026-12-01 04:00:26.412914+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 47, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (97, 'run.succeeded', '2026-12-01 04:00:26.441656+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 47, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (44, 'run.requested', '2026-12-01 04:00:24.743979+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 21, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (52, 'run.requested', '2026-12-01 04:00:25.00129+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 25, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (68, 'run.requested', '2026-12-01 04:00:25.418649+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 33, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (69, 'run.succeeded', '2026-12-01 04:00:25.523508+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 33, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (100, 'run.requested', '2026-12-01 04:00:26.5857+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 49, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (101, 'run.succeeded', '2026-12-01 04:00:26.605382+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 49, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (102, 'run.requested', '2026-12-01 04:00:26.670434+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 50, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (103, 'run.succeeded', '2026-12-01 04:00:26.746421+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 50, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (106, 'run.requested', '2026-12-01 04:00:26.915927+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 52, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (107, 'run.succeeded', '2026-12-01 04:00:26.965521+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 52, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (45, 'run.succeeded', '2026-12-01 04:00:24.767148+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 21, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (46, 'run.requested', '2026-12-01 04:00:24.782112+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 22, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (47, 'run.succeeded', '2026-12-01 04:00:24.823594+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 22, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (48, 'run.requested', '2026-12-01 04:00:24.843027+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 23, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (49, 'run.succeeded', '2026-12-01 04:00:24.887577+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 23, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (55, 'run.succeeded', '2026-12-01 04:00:25.037518+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 26, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (56, 'run.requested', '2026-12-01 04:00:25.047802+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 27, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (57, 'schedule.fired', '2026-12-01 04:00:25.059134+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 28, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:25+00:00"}');
INSERT INTO rota.events VALUES (58, 'run.succeeded', '2026-12-01 04:00:25.064903+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 27, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (59, 'run.succeeded', '2026-12-01 04:00:25.082323+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 28, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:25Z"}');
INSERT INTO rota.events VALUES (60, 'run.requested', '2026-12-01 04:00:25.112867+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 29, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (61, 'run.succeeded', '2026-12-01 04:00:25.127632+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 29, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (76, 'run.requested', '2026-12-01 04:00:25.755812+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 37, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (77, 'run.succeeded', '2026-12-01 04:00:25.834678+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 37, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (86, 'run.requested', '2026-12-01 04:00:26.083251+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 42, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (87, 'run.succeeded', '2026-12-01 04:00:26.116404+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 42, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (108, 'schedule.fired', '2026-12-01 04:00:27.007978+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 53, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:27+00:00"}');
INSERT INTO rota.events VALUES (109, 'run.requested', '2026-12-01 04:00:27.048541+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 54, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (110, 'run.succeeded', '2026-12-01 04:00:27.080807+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 53, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:15:27Z"}');
INSERT INTO rota.events VALUES (53, 'run.succeeded', '2026-12-01 04:00:25.015695+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 25, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (54, 'run.requested', '2026-12-01 04:00:25.024926+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 26, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (70, 'run.requested', '2026-12-01 04:00:25.597832+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 34, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (71, 'run.succeeded', '2026-12-01 04:00:25.607671+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 34, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (72, 'run.requested', '2026-12-01 04:00:25.637794+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 35, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (73, 'run.succeeded', '2026-12-01 04:00:25.650007+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 35, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (74, 'run.requested', '2026-12-01 04:00:25.670039+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 36, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (75, 'run.succeeded', '2026-12-01 04:00:25.698503+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 36, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (82, 'run.requested', '2026-12-01 04:00:25.927617+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 40, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (83, 'run.succeeded', '2026-12-01 04:00:25.956581+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 40, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (88, 'run.requested', '2026-12-01 04:00:26.160541+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 43, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (89, 'run.succeeded', '2026-12-01 04:00:26.1815+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 43, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (98, 'run.requested', '2026-12-01 04:00:26.472901+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 48, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (99, 'run.succeeded', '2026-12-01 04:00:26.523607+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 48, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (104, 'run.requested', '2026-12-01 04:00:26.806154+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 51, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (105, 'run.succeeded', '2026-12-01 04:00:26.856449+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 51, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.flights VALUES ('s:2', 53);
INSERT INTO rota.flights VALUES ('s:1', 54);
INSERT INTO rota.health VALUES (2, 0, '2026-12-01 04:00:27.080807+05:45', '2026-12-01 04:00:27+05:45');
INSERT INTO rota.health VALUES (1, 0, '2026-12-01 04:00:27.132468+05:45', NULL);
INSERT INTO rota.jobs VALUES ('nightly', 'python', 1, NULL, '{"type": "object", "required": [], "properties": {}, "additionalProperties": false}', '{"retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}}', 'default', 0, 'code:tests.migration.dump:rota', '2026-12-01 04:00:23.447648+05:45', '2026-12-01 04:00:23.447648+05:45');
INSERT INTO rota.jobs VALUES ('tick', 'python', 1, NULL, '{"type": "object", "required": [], "properties": {}, "additionalProperties": false}', '{"overlap": "queue_one"}', 'default', 0, 'code:tests.migration.dump:rota', '2026-12-01 04:00:23.447648+05:45', '2026-12-01 04:00:23.447648+05:45');
INSERT INTO rota.lanes VALUES ('default', NULL, NULL, NULL, NULL, false, NULL, NULL, '2026-12-01 04:00:23.496129+05:45');
INSERT INTO rota.leases VALUES ('clock', NULL, '2026-12-01 04:00:23.757705+05:45');
INSERT INTO rota.leases VALUES ('retention', NULL, '2026-12-01 04:00:23.784829+05:45');
INSERT INTO rota.meta VALUES ('zone_data', '"2026f"');
INSERT INTO rota.nodes VALUES ('aa536699ae6a4b818038a3ac06b6403d', 'vm', 7517, 'scheduler,worker', NULL, 100, 'stopped', false, 1, '2026-12-01 04:00:23.672956+05:45', '2026-12-01 04:00:23.695678+05:45', '2026-12-01 04:00:27.179672+05:45', '0.1.0', '2026f');
INSERT INTO rota.rota_version VALUES ('0001');
INSERT INTO rota.runs VALUES (1, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ead46ab2a0574e9d98d67176e0366bad', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:23.740981+05:45', '2026-12-01 04:00:23.769665+05:45', '2026-12-01 04:00:23.803092+05:45');
INSERT INTO rota.runs VALUES (13, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-79c240dc20a0480aa5e85a199b1fb792', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.365521+05:45', '2026-12-01 04:00:24.380962+05:45', '2026-12-01 04:00:24.38961+05:45');
INSERT INTO rota.runs VALUES (2, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-1dabf565b87f4bde9cfe3395a51ce769', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:23.825186+05:45', '2026-12-01 04:00:23.834653+05:45', '2026-12-01 04:00:23.851928+05:45');
INSERT INTO rota.runs VALUES (9, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ffc095c6054d4703bd7ff03575441595', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.159593+05:45', '2026-12-01 04:00:24.176917+05:45', '2026-12-01 04:00:24.186946+05:45');
INSERT INTO rota.runs VALUES (3, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-f5c405d6b5c849d5aa4228833540ef1d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:23.885236+05:45', '2026-12-01 04:00:23.915887+05:45', '2026-12-01 04:00:23.941323+05:45');
INSERT INTO rota.runs VALUES (4, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-d8a13157381b4e249913bd409364651d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:23.981538+05:45', '2026-12-01 04:00:23.992465+05:45', '2026-12-01 04:00:24.007337+05:45');
INSERT INTO rota.runs VALUES (5, 2, 2, '2026-12-01 04:00:24+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '1', NULL, NULL, '2026-12-01 04:00:24.001136+05:45', '2026-12-01 04:00:24.025319+05:45', '2026-12-01 04:00:24.050639+05:45');
INSERT INTO rota.runs VALUES (10, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-f4b013a1965244ac9330268ec3662d88', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.232687+05:45', '2026-12-01 04:00:24.240041+05:45', '2026-12-01 04:00:24.244623+05:45');
INSERT INTO rota.runs VALUES (6, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-f3442676f76445d2b624237c2a4926a9', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.049259+05:45', '2026-12-01 04:00:24.050639+05:45', '2026-12-01 04:00:24.072372+05:45');
INSERT INTO rota.runs VALUES (7, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-d1371b7b33a44aca9a67fae478b43942', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.09416+05:45', '2026-12-01 04:00:24.100532+05:45', '2026-12-01 04:00:24.10728+05:45');
INSERT INTO rota.runs VALUES (8, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-eafaa3ab55ca45afba8883eb9b8eec74', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.117525+05:45', '2026-12-01 04:00:24.13259+05:45', '2026-12-01 04:00:24.138487+05:45');
INSERT INTO rota.runs VALUES (14, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-18a42668705a4a4180c87f9b29191412', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.411769+05:45', '2026-12-01 04:00:24.421484+05:45', '2026-12-01 04:00:24.429123+05:45');
INSERT INTO rota.runs VALUES (11, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-9c106a08d37341619ffa3ffaf589a23c', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.263228+05:45', '2026-12-01 04:00:24.269946+05:45', '2026-12-01 04:00:24.275069+05:45');
INSERT INTO rota.runs VALUES (12, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-39006340b1dc44f68c952a453631c902', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.28554+05:45', '2026-12-01 04:00:24.290984+05:45', '2026-12-01 04:00:24.308324+05:45');
INSERT INTO rota.runs VALUES (15, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-5c89edfd5aa94f7eb91a98830a6166de', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.437675+05:45', '2026-12-01 04:00:24.444598+05:45', '2026-12-01 04:00:24.478729+05:45');
INSERT INTO rota.runs VALUES (54, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-eabbb8a7e191428d99c7b3e7deb1c782', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:27.048541+05:45', '2026-12-01 04:00:27.080807+05:45', '2026-12-01 04:00:27.132468+05:45');
INSERT INTO rota.runs VALUES (16, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-f080903931d54453a97419b00b6068b5', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.51758+05:45', '2026-12-01 04:00:24.528366+05:45', '2026-12-01 04:00:24.538378+05:45');
INSERT INTO rota.runs VALUES (17, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-b9e40237f3f1462a8d18e348d21704f4', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.549982+05:45', '2026-12-01 04:00:24.569499+05:45', '2026-12-01 04:00:24.574512+05:45');
INSERT INTO rota.runs VALUES (18, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-33a764b0474b45cc8b3eabb7910816ae', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.591989+05:45', '2026-12-01 04:00:24.61765+05:45', '2026-12-01 04:00:24.634496+05:45');
INSERT INTO rota.runs VALUES (26, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-fd8c12eb08e745f29a4ce4175d8131b3', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.024926+05:45', '2026-12-01 04:00:25.03329+05:45', '2026-12-01 04:00:25.037518+05:45');
INSERT INTO rota.runs VALUES (29, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-6fd9c0a2800843bf9318f4b708fe963d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.112867+05:45', '2026-12-01 04:00:25.122398+05:45', '2026-12-01 04:00:25.127632+05:45');
INSERT INTO rota.runs VALUES (35, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-7fcda112638c4e4c91af8211e8f70d89', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.637794+05:45', '2026-12-01 04:00:25.645554+05:45', '2026-12-01 04:00:25.650007+05:45');
INSERT INTO rota.runs VALUES (48, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ba4f3d8bfae841e485074787f550c9ca', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.472901+05:45', '2026-12-01 04:00:26.481385+05:45', '2026-12-01 04:00:26.523607+05:45');
INSERT INTO rota.runs VALUES (50, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-6600e1c2565a4c6a994027551ef77915', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.670434+05:45', '2026-12-01 04:00:26.701137+05:45', '2026-12-01 04:00:26.746421+05:45');
INSERT INTO rota.runs VALUES (19, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-38cb0d67f0e74ba986bf4e65af383d22', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.646523+05:45', '2026-12-01 04:00:24.660221+05:45', '2026-12-01 04:00:24.664516+05:45');
INSERT INTO rota.runs VALUES (20, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-34a505d526004e788d0bab8714681bb3', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.679505+05:45', '2026-12-01 04:00:24.713967+05:45', '2026-12-01 04:00:24.729196+05:45');
INSERT INTO rota.runs VALUES (21, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-99c74666e50b4ed5a5ad709e99adf86f', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.743979+05:45', '2026-12-01 04:00:24.76247+05:45', '2026-12-01 04:00:24.767148+05:45');
INSERT INTO rota.runs VALUES (51, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ee19096a93e747d6899463d8f55857ac', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.806154+05:45', '2026-12-01 04:00:26.840483+05:45', '2026-12-01 04:00:26.856449+05:45');
INSERT INTO rota.runs VALUES (37, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-57203a10854249ee966e233203a22d9d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.755812+05:45', '2026-12-01 04:00:25.82202+05:45', '2026-12-01 04:00:25.834678+05:45');
INSERT INTO rota.runs VALUES (39, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-6ce18885b8a7431dbe125501edd51908', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.87492+05:45', '2026-12-01 04:00:25.882288+05:45', '2026-12-01 04:00:25.887017+05:45');
INSERT INTO rota.runs VALUES (46, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-4bea7267097f466692ce1d131009e716', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.366311+05:45', '2026-12-01 04:00:26.379024+05:45', '2026-12-01 04:00:26.383847+05:45');
INSERT INTO rota.runs VALUES (47, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-30224b14d48c4dd28d0049db9efce163', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.412914+05:45', '2026-12-01 04:00:26.425797+05:45', '2026-12-01 04:00:26.441656+05:45');
INSERT INTO rota.runs VALUES (22, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-f013551fb44e4d8ba5bdf552c463e12e', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.782112+05:45', '2026-12-01 04:00:24.815067+05:45', '2026-12-01 04:00:24.823594+05:45');
INSERT INTO rota.runs VALUES (25, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-734b2f4b585746bd835861c98159c0c2', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.00129+05:45', '2026-12-01 04:00:25.010975+05:45', '2026-12-01 04:00:25.015695+05:45');
INSERT INTO rota.runs VALUES (41, 2, 2, '2026-12-01 04:00:26+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '3', NULL, NULL, '2026-12-01 04:00:26.028219+05:45', '2026-12-01 04:00:26.036926+05:45', '2026-12-01 04:00:26.042574+05:45');
INSERT INTO rota.runs VALUES (45, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-2784b560198f4245909382b273fc7938', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.298374+05:45', '2026-12-01 04:00:26.30617+05:45', '2026-12-01 04:00:26.313067+05:45');
INSERT INTO rota.runs VALUES (43, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-a22131688ec6494581e43f7c731732a2', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.160541+05:45', '2026-12-01 04:00:26.174674+05:45', '2026-12-01 04:00:26.1815+05:45');
INSERT INTO rota.runs VALUES (23, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-5bb98f554a954913817afabe8574fe3a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.843027+05:45', '2026-12-01 04:00:24.848309+05:45', '2026-12-01 04:00:24.887577+05:45');
INSERT INTO rota.runs VALUES (24, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-27f1a2b9bfee44d281bf62c33a43db5e', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:24.936887+05:45', '2026-12-01 04:00:24.977706+05:45', '2026-12-01 04:00:24.985606+05:45');
INSERT INTO rota.runs VALUES (30, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-aaff473ba39d4054a22ed21f891d160f', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.161479+05:45', '2026-12-01 04:00:25.174289+05:45', '2026-12-01 04:00:25.178623+05:45');
INSERT INTO rota.runs VALUES (52, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-235d6aa26e6e41df9ebbb132581eb39a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.915927+05:45', '2026-12-01 04:00:26.945999+05:45', '2026-12-01 04:00:26.965521+05:45');
INSERT INTO rota.runs VALUES (32, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-c227adac129e47c4925494ae91566155', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.246512+05:45', '2026-12-01 04:00:25.261217+05:45', '2026-12-01 04:00:25.309065+05:45');
INSERT INTO rota.runs VALUES (33, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-97d094bf616e4b7283f503cb63369c10', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.418649+05:45', '2026-12-01 04:00:25.45288+05:45', '2026-12-01 04:00:25.523508+05:45');
INSERT INTO rota.runs VALUES (34, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-85fb769f783045d0815849671481b202', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.597832+05:45', '2026-12-01 04:00:25.603091+05:45', '2026-12-01 04:00:25.607671+05:45');
INSERT INTO rota.runs VALUES (53, 2, 2, '2026-12-01 04:00:27+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '4', NULL, NULL, '2026-12-01 04:00:27.007978+05:45', '2026-12-01 04:00:27.032251+05:45', '2026-12-01 04:00:27.080807+05:45');
INSERT INTO rota.runs VALUES (42, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-efda2dcae3a147cfbb70226f68d1d955', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.083251+05:45', '2026-12-01 04:00:26.095732+05:45', '2026-12-01 04:00:26.116404+05:45');
INSERT INTO rota.runs VALUES (27, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-d8f2350f03da4b3a84edc037a70c8f3d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.047802+05:45', '2026-12-01 04:00:25.057047+05:45', '2026-12-01 04:00:25.064903+05:45');
INSERT INTO rota.runs VALUES (28, 2, 2, '2026-12-01 04:00:25+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '2', NULL, NULL, '2026-12-01 04:00:25.059134+05:45', '2026-12-01 04:00:25.064903+05:45', '2026-12-01 04:00:25.082323+05:45');
INSERT INTO rota.runs VALUES (31, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-b017da5b30d24425a94cb76e7ff26ee7', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.191717+05:45', '2026-12-01 04:00:25.196776+05:45', '2026-12-01 04:00:25.201738+05:45');
INSERT INTO rota.runs VALUES (36, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-9d08c18982e0483ca284baaa0eeda918', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.670039+05:45', '2026-12-01 04:00:25.676211+05:45', '2026-12-01 04:00:25.698503+05:45');
INSERT INTO rota.runs VALUES (38, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-8a7c75d167de4c1d9ca8f0a644179a77', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.846592+05:45', '2026-12-01 04:00:25.856808+05:45', '2026-12-01 04:00:25.866356+05:45');
INSERT INTO rota.runs VALUES (40, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-1aa1d79999434b1f94c3b897d80af156', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:25.927617+05:45', '2026-12-01 04:00:25.943899+05:45', '2026-12-01 04:00:25.956581+05:45');
INSERT INTO rota.runs VALUES (44, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-e9b96752245741b3a45cfeb975ab56dc', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.205595+05:45', '2026-12-01 04:00:26.212399+05:45', '2026-12-01 04:00:26.237343+05:45');
INSERT INTO rota.runs VALUES (49, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-a4bf76bfc5e746d59a0540482465a203', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'aa536699ae6a4b818038a3ac06b6403d', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:00:26.5857+05:45', '2026-12-01 04:00:26.598139+05:45', '2026-12-01 04:00:26.605382+05:45');
INSERT INTO rota.schedules VALUES (1, 'default', 'default', 'default', 'nightly', NULL, '{}', NULL, 'app', 'code:tests.migration.dump:rota', '{"job": "nightly", "args": {}, "when": "every day at 03:15", "timezone": "Europe/Stockholm"}', '2026-12-01 04:00:23.496129+05:45', '2026-12-01 04:00:27.62357+05:45', NULL);
INSERT INTO rota.schedules VALUES (2, 'default', 'default', 'default', 'tick', NULL, '{}', NULL, 'app', 'code:tests.migration.dump:rota', '{"job": "tick", "args": {}, "when": "every second"}', '2026-12-01 04:00:23.576494+05:45', '2026-12-01 04:00:27.777974+05:45', NULL);
INSERT INTO rota.spine VALUES (1);
SELECT pg_catalog.setval('rota.changes_id_seq', 5, true);
SELECT pg_catalog.setval('rota.decisions_id_seq', 1, false);
SELECT pg_catalog.setval('rota.definitions_id_seq', 3, true);
SELECT pg_catalog.setval('rota.event_inbox_id_seq', 115, true);
SELECT pg_catalog.setval('rota.events_id_seq', 110, true);
SELECT pg_catalog.setval('rota.runs_id_seq', 54, true);
SELECT pg_catalog.setval('rota.schedules_id_seq', 2, true);
ALTER TABLE ONLY rota.artifacts
    ADD CONSTRAINT artifacts_pkey PRIMARY KEY (run_id, name);
ALTER TABLE ONLY rota.cancels
    ADD CONSTRAINT cancels_pkey PRIMARY KEY (run_id, kind);
ALTER TABLE ONLY rota.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (run_id);
ALTER TABLE ONLY rota.cursors
    ADD CONSTRAINT cursors_pkey PRIMARY KEY (schedule_id);
ALTER TABLE ONLY rota.decisions
    ADD CONSTRAINT decisions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.definitions
    ADD CONSTRAINT definitions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.event_inbox
    ADD CONSTRAINT event_inbox_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.flights
    ADD CONSTRAINT flights_pkey PRIMARY KEY (flight);
ALTER TABLE ONLY rota.health
    ADD CONSTRAINT health_pkey PRIMARY KEY (schedule_id);
ALTER TABLE ONLY rota.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (name);
ALTER TABLE ONLY rota.lanes
    ADD CONSTRAINT lanes_pkey PRIMARY KEY (name);
ALTER TABLE ONLY rota.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY rota.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (run_id, token, seq);
ALTER TABLE ONLY rota.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (key);
ALTER TABLE ONLY rota.nodes
    ADD CONSTRAINT nodes_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.owners
    ADD CONSTRAINT owners_pkey PRIMARY KEY (tenant, name);
ALTER TABLE ONLY rota.progress
    ADD CONSTRAINT progress_pkey PRIMARY KEY (run_id);
ALTER TABLE ONLY rota.ready
    ADD CONSTRAINT ready_pkey PRIMARY KEY (lane, priority, run_id);
ALTER TABLE ONLY rota.rota_version
    ADD CONSTRAINT rota_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY rota.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.schedules
    ADD CONSTRAINT schedules_key UNIQUE (tenant, stack, environment, name);
ALTER TABLE ONLY rota.schedules
    ADD CONSTRAINT schedules_pkey PRIMARY KEY (id);
ALTER TABLE ONLY rota.skips
    ADD CONSTRAINT skips_pkey PRIMARY KEY (schedule_id, scheduled_for);
ALTER TABLE ONLY rota.spine
    ADD CONSTRAINT spine_pkey PRIMARY KEY (one);
ALTER TABLE ONLY rota.tenants
    ADD CONSTRAINT tenants_pkey PRIMARY KEY (name);
CREATE INDEX changes_subject ON rota.changes USING btree (subject, id);
CREATE INDEX claims_node ON rota.claims USING btree (node);
CREATE INDEX cursors_due ON rota.cursors USING btree (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX cursors_unarmed ON rota.cursors USING btree (schedule_id) WHERE ((due_at IS NULL) AND (state = 'active'::text));
CREATE INDEX decisions_until ON rota.decisions USING btree (schedule_id, until_at);
CREATE UNIQUE INDEX definitions_job ON rota.definitions USING btree (key, revision) WHERE (schedule_id IS NULL);
CREATE UNIQUE INDEX definitions_revision ON rota.definitions USING btree (schedule_id, revision);
CREATE INDEX events_subject ON rota.events USING btree (subject, id);
CREATE INDEX nodes_state ON rota.nodes USING btree (state);
CREATE INDEX runs_admit ON rota.runs USING btree (admit_at) WHERE (admit_at IS NOT NULL);
CREATE UNIQUE INDEX runs_invocation ON rota.runs USING btree (scope, invocation) WHERE (invocation IS NOT NULL);
CREATE UNIQUE INDEX runs_occurrence ON rota.runs USING btree (schedule_id, scheduled_for) WHERE ((scheduled_for IS NOT NULL) AND (retry_of IS NULL));
CREATE INDEX runs_schedule ON rota.runs USING btree (schedule_id, id) WHERE (schedule_id IS NOT NULL);
CREATE INDEX runs_waiting ON rota.runs USING btree (flight, id) WHERE waiting;

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
    zone_data text,
    wake_at timestamp with time zone
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
INSERT INTO rota.changes VALUES (1, '2026-12-01 04:04:07.72231+05:45', 'default/default/default/nightly', 'created', 'rota', 'code', 'declared by code:tests.migration.dump:rota', NULL, '{"job": "nightly", "when": "every day at 03:15", "timezone": "Europe/Stockholm"}');
INSERT INTO rota.changes VALUES (2, '2026-12-01 04:04:07.799776+05:45', 'default/default/default/tick', 'created', 'rota', 'code', 'declared by code:tests.migration.dump:rota', NULL, '{"job": "tick", "when": "every second"}');
INSERT INTO rota.changes VALUES (3, '2026-12-01 04:04:11.614014+05:45', 'default/default/default/nightly', 'updated', 'python', 'python', 'the backup moved', '{"when": "every day at 03:15"}', '{"when": "every day at 04:15"}');
INSERT INTO rota.changes VALUES (4, '2026-12-01 04:04:11.661037+05:45', 'default/default/default/tick', 'paused', 'python', 'python', 'for the dump', '{"state": "active", "paused_until": null}', '{"state": "paused", "paused_until": null}');
INSERT INTO rota.changes VALUES (5, '2026-12-01 04:04:14.217301+05:45', 'default/default/default/tick', 'resumed', 'python', 'python', NULL, '{"state": "paused", "paused_until": null}', '{"state": "active", "paused_until": null}');
INSERT INTO rota.cursors VALUES (1, 3, 2, 'active', '2026-12-01 04:04:11.614014+05:45', '2026-12-01 09:00:00+05:45', '2026-12-01 09:00:00+05:45', NULL, NULL, NULL, NULL, NULL, '2026f', NULL);
INSERT INTO rota.cursors VALUES (2, 2, 1, 'active', '2026-12-01 04:04:14.217301+05:45', '2026-12-01 04:04:15+05:45', '2026-12-01 04:04:15+05:45', NULL, NULL, NULL, NULL, NULL, '2026f', NULL);
INSERT INTO rota.decisions VALUES (1, 2, '2026-12-01 04:04:11+05:45', '2026-12-01 04:04:14.217301+05:45', 'skipped', 'paused', 1, 'python', '2026-12-01 04:04:14.217301+05:45');
INSERT INTO rota.definitions VALUES (1, 1, 1, 'default/default/default/nightly', 'every day at 03:15', 'every day at 03:15', 'Europe/Stockholm', 'Europe/Stockholm', 'nightly', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "skip", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:04:07.72231+05:45');
INSERT INTO rota.definitions VALUES (2, 2, 1, 'default/default/default/tick', 'every second', 'every second', NULL, 'UTC', 'tick', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 1}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "queue_one", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:04:07.799776+05:45');
INSERT INTO rota.definitions VALUES (3, 1, 2, 'default/default/default/nightly', 'every day at 04:15', 'every day at 04:15', 'Europe/Stockholm', 'Europe/Stockholm', 'nightly', '{}', 'default', 0, '{"grace": null, "retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}, "jitter": null, "catchup": "latest", "on_edit": "skip", "on_lost": "retry", "overlap": "skip", "timeout": null, "max_lost": 3, "on_resume": "skip", "queue_max": 1000, "catchup_max": 100, "probe_after": null, "disable_after": null, "single_flight": null, "catchup_window": null}', '{}', NULL, 'auto', 'auto', NULL, NULL, NULL, NULL, '2026-12-01 04:04:11.614014+05:45');
INSERT INTO rota.event_inbox VALUES (106, 'node.stopped', '2026-12-01 04:04:11.116668+05:45', 'a1e447247fad483ead49fe73d8f93206', NULL, '{}');
INSERT INTO rota.event_inbox VALUES (107, 'schedule.updated', '2026-12-01 04:04:11.614014+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "after": {"when": "every day at 04:15"}, "before": {"when": "every day at 03:15"}, "reason": "the backup moved", "channel": "python", "schedule_id": 1}');
INSERT INTO rota.event_inbox VALUES (108, 'schedule.paused', '2026-12-01 04:04:11.661037+05:45', 'default/default/default/tick', NULL, '{"by": "python", "job": "tick", "after": {"state": "paused", "paused_until": null}, "before": {"state": "active", "paused_until": null}, "reason": "for the dump", "channel": "python", "schedule_id": 2}');
INSERT INTO rota.event_inbox VALUES (109, 'schedule.skipped', '2026-12-01 04:04:14.217301+05:45', 'default/default/default/tick', NULL, '{"after": "2026-11-30T22:19:11Z", "until": "2026-11-30T22:19:14.217301Z", "reason": "paused"}');
INSERT INTO rota.event_inbox VALUES (110, 'schedule.resumed', '2026-12-01 04:04:14.217301+05:45', 'default/default/default/tick', NULL, '{"by": "python", "job": "tick", "after": {"state": "active", "paused_until": null}, "before": {"state": "paused", "paused_until": null}, "reason": null, "channel": "python", "schedule_id": 2}');
INSERT INTO rota.events VALUES (1, 'schedule.created', '2026-12-01 04:04:07.72231+05:45', 'default/default/default/nightly', NULL, '{"by": "rota", "job": "nightly", "after": {"job": "nightly", "when": "every day at 03:15", "timezone": "Europe/Stockholm"}, "before": null, "reason": "declared by code:tests.migration.dump:rota", "channel": "code", "schedule_id": 1}');
INSERT INTO rota.events VALUES (2, 'schedule.created', '2026-12-01 04:04:07.799776+05:45', 'default/default/default/tick', NULL, '{"by": "rota", "job": "tick", "after": {"job": "tick", "when": "every second"}, "before": null, "reason": "declared by code:tests.migration.dump:rota", "channel": "code", "schedule_id": 2}');
INSERT INTO rota.events VALUES (3, 'node.started', '2026-12-01 04:04:07.886065+05:45', 'a1e447247fad483ead49fe73d8f93206', NULL, '{"pid": 13961, "host": "vm", "lanes": null, "roles": "scheduler,worker", "slots": 100, "version": "0.1.0"}');
INSERT INTO rota.events VALUES (4, 'run.requested', '2026-12-01 04:04:07.957387+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 1, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (5, 'schedule.fired', '2026-12-01 04:04:08.002816+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 2, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:08+00:00"}');
INSERT INTO rota.events VALUES (6, 'run.succeeded', '2026-12-01 04:04:08.115255+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 1, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (7, 'run.succeeded', '2026-12-01 04:04:08.129239+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 2, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:08Z"}');
INSERT INTO rota.events VALUES (8, 'run.requested', '2026-12-01 04:04:08.220056+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 3, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (9, 'run.succeeded', '2026-12-01 04:04:08.258683+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 3, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (10, 'run.requested', '2026-12-01 04:04:08.309277+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 4, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (11, 'run.succeeded', '2026-12-01 04:04:08.337251+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 4, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (12, 'run.requested', '2026-12-01 04:04:08.356361+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 5, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (13, 'run.succeeded', '2026-12-01 04:04:08.387289+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 5, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (14, 'run.requested', '2026-12-01 04:04:08.417367+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 6, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (15, 'run.succeeded', '2026-12-01 04:04:08.461235+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 6, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (16, 'run.requested', '2026-12-01 04:04:08.479778+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 7, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (17, 'run.succeeded', '2026-12-01 04:04:08.50203+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 7, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (18, 'run.requested', '2026-12-01 04:04:08.544569+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 8, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (19, 'run.succeeded', '2026-12-01 04:04:08.595955+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 8, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (20, 'run.requested', '2026-12-01 04:04:08.616011+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 9, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (21, 'run.succeeded', '2026-12-01 04:04:08.641321+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 9, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (22, 'run.requested', '2026-12-01 04:04:08.650892+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 10, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (23, 'run.succeeded', '2026-12-01 04:04:08.677303+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 10, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (24, 'run.requested', '2026-12-01 04:04:08.729112+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 11, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (25, 'run.succeeded', '2026-12-01 04:04:08.766583+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 11, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (26, 'run.requested', '2026-12-01 04:04:08.831414+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 12, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (27, 'run.succeeded', '2026-12-01 04:04:08.853241+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 12, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (28, 'run.requested', '2026-12-01 04:04:08.880886+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 13, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (29, 'run.succeeded', '2026-12-01 04:04:08.908082+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 13, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (30, 'run.requested', '2026-12-01 04:04:08.958318+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 14, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (31, 'run.succeeded', '2026-12-01 04:04:08.983376+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 14, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (32, 'schedule.fired', '2026-12-01 04:04:09.001932+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 15, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:09+00:00"}');
INSERT INTO rota.events VALUES (33, 'run.requested', '2026-12-01 04:04:09.026888+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 16, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (34, 'run.succeeded', '2026-12-01 04:04:09.040345+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 15, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:09Z"}');
INSERT INTO rota.events VALUES (37, 'run.succeeded', '2026-12-01 04:04:09.110821+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 17, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (38, 'run.requested', '2026-12-01 04:04:09.122155+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 18, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (39, 'run.succeeded', '2026-12-01 04:04:09.168339+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 18, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (46, 'run.requested', '2026-12-01 04:04:09.463243+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 22, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (47, 'run.succeeded', '2026-12-01 04:04:09.4927+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 22, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (48, 'run.requested', '2026-12-01 04:04:09.513492+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 23, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (49, 'run.succeeded', '2026-12-01 04:04:09.538154+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 23, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (50, 'run.requested', '2026-12-01 04:04:09.560313+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 24, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (51, 'run.succeeded', '2026-12-01 04:04:09.598762+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 24, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (60, 'run.requested', '2026-12-01 04:04:09.764773+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 29, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (61, 'run.succeeded', '2026-12-01 04:04:09.779322+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 29, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (62, 'run.requested', '2026-12-01 04:04:09.801866+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 30, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (63, 'run.succeeded', '2026-12-01 04:04:09.819044+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 30, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (70, 'run.requested', '2026-12-01 04:04:09.979386+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 34, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (71, 'schedule.fired', '2026-12-01 04:04:10.002187+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 35, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:10+00:00"}');
INSERT INTO rota.events VALUES (72, 'run.succeeded', '2026-12-01 04:04:10.010245+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 34, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (82, 'run.requested', '2026-12-01 04:04:10.326446+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 40, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (83, 'run.succeeded', '2026-12-01 04:04:10.347216+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 40, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (84, 'run.requested', '2026-12-01 04:04:10.367761+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 41, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (85, 'run.succeeded', '2026-12-01 04:04:10.39403+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 41, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (92, 'run.requested', '2026-12-01 04:04:10.663256+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 45, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (93, 'run.succeeded', '2026-12-01 04:04:10.732695+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 45, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (35, 'run.succeeded', '2026-12-01 04:04:09.065619+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 16, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (36, 'run.requested', '2026-12-01 04:04:09.088765+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 17, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (43, 'run.succeeded', '2026-12-01 04:04:09.318071+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 20, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (52, 'run.requested', '2026-12-01 04:04:09.620603+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 25, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (53, 'run.succeeded', '2026-12-01 04:04:09.636775+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 25, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (54, 'run.requested', '2026-12-01 04:04:09.64748+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 26, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (55, 'run.succeeded', '2026-12-01 04:04:09.668514+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 26, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (56, 'run.requested', '2026-12-01 04:04:09.684402+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 27, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (57, 'run.succeeded', '2026-12-01 04:04:09.705641+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 27, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (58, 'run.requested', '2026-12-01 04:04:09.725272+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 28, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (59, 'run.succeeded', '2026-12-01 04:04:09.743347+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 28, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (68, 'run.requested', '2026-12-01 04:04:09.932972+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 33, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (73, 'run.succeeded', '2026-12-01 04:04:10.053528+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 35, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:10Z"}');
INSERT INTO rota.events VALUES (74, 'run.requested', '2026-12-01 04:04:10.060753+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 36, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (75, 'run.succeeded', '2026-12-01 04:04:10.092085+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 36, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (78, 'run.requested', '2026-12-01 04:04:10.189406+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 38, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (79, 'run.succeeded', '2026-12-01 04:04:10.20534+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 38, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (80, 'run.requested', '2026-12-01 04:04:10.283688+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 39, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (81, 'run.succeeded', '2026-12-01 04:04:10.307829+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 39, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (86, 'run.requested', '2026-12-01 04:04:10.432976+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 42, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (87, 'run.succeeded', '2026-12-01 04:04:10.47562+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 42, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (88, 'run.requested', '2026-12-01 04:04:10.517651+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 43, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (89, 'run.succeeded', '2026-12-01 04:04:10.551578+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 43, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (90, 'run.requested', '2026-12-01 04:04:10.612006+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 44, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (91, 'run.succeeded', '2026-12-01 04:04:10.639834+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 44, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (94, 'run.requested', '2026-12-01 04:04:10.759321+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 46, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (100, 'run.requested', '2026-12-01 04:04:10.920809+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 49, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (101, 'run.succeeded', '2026-12-01 04:04:11.009758+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 49, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (40, 'run.requested', '2026-12-01 04:04:09.204166+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 19, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (41, 'run.succeeded', '2026-12-01 04:04:09.249309+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 19, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (42, 'run.requested', '2026-12-01 04:04:09.281048+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 20, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (44, 'run.requested', '2026-12-01 04:04:09.350708+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 21, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (45, 'run.succeeded', '2026-12-01 04:04:09.437046+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 21, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (69, 'run.succeeded', '2026-12-01 04:04:09.953401+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 33, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (95, 'run.succeeded', '2026-12-01 04:04:10.779026+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 46, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (96, 'run.requested', '2026-12-01 04:04:10.795844+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 47, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (97, 'run.succeeded', '2026-12-01 04:04:10.845433+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 47, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (98, 'run.requested', '2026-12-01 04:04:10.879478+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 48, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (99, 'run.succeeded', '2026-12-01 04:04:10.9019+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 48, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (64, 'run.requested', '2026-12-01 04:04:09.841597+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 31, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (65, 'run.succeeded', '2026-12-01 04:04:09.868236+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 31, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (66, 'run.requested', '2026-12-01 04:04:09.885447+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 32, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (67, 'run.succeeded', '2026-12-01 04:04:09.919734+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 32, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (76, 'run.requested', '2026-12-01 04:04:10.104881+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 37, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (77, 'run.succeeded', '2026-12-01 04:04:10.155586+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 37, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (102, 'run.requested', '2026-12-01 04:04:11.045323+05:45', 'default/default/default/nightly', NULL, '{"by": "python", "job": "nightly", "run": 50, "cause": "manual", "place": "start", "reason": null, "channel": "python", "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (103, 'schedule.fired', '2026-12-01 04:04:11.065177+05:45', 'default/default/default/tick', 'V200610SCHTRG', '{"job": "tick", "run": 51, "cause": "schedule", "place": "start", "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:11+00:00"}');
INSERT INTO rota.events VALUES (104, 'run.succeeded', '2026-12-01 04:04:11.084144+05:45', 'default/default/default/nightly', NULL, '{"job": "nightly", "run": 50, "reason": null, "attempt": 1, "schedule": "default/default/default/nightly"}');
INSERT INTO rota.events VALUES (105, 'run.succeeded', '2026-12-01 04:04:11.084144+05:45', 'default/default/default/tick', NULL, '{"job": "tick", "run": 51, "reason": null, "attempt": 1, "schedule": "default/default/default/tick", "scheduled_for": "2026-11-30T22:19:11Z"}');
INSERT INTO rota.flights VALUES ('s:1', 50);
INSERT INTO rota.flights VALUES ('s:2', 51);
INSERT INTO rota.health VALUES (1, 0, '2026-12-01 04:04:11.084144+05:45', NULL);
INSERT INTO rota.health VALUES (2, 0, '2026-12-01 04:04:11.084144+05:45', '2026-12-01 04:04:11+05:45');
INSERT INTO rota.jobs VALUES ('nightly', 'python', 1, NULL, '{"type": "object", "required": [], "properties": {}, "additionalProperties": false}', '{"retry": {"on": [], "max": "1h", "base": "10s", "backoff": "exponential", "attempts": 3}}', 'default', 0, 'code:tests.migration.dump:rota', '2026-12-01 04:04:07.683917+05:45', '2026-12-01 04:04:07.683917+05:45');
INSERT INTO rota.jobs VALUES ('tick', 'python', 1, NULL, '{"type": "object", "required": [], "properties": {}, "additionalProperties": false}', '{"overlap": "queue_one"}', 'default', 0, 'code:tests.migration.dump:rota', '2026-12-01 04:04:07.683917+05:45', '2026-12-01 04:04:07.683917+05:45');
INSERT INTO rota.lanes VALUES ('default', NULL, NULL, NULL, NULL, false, NULL, NULL, '2026-12-01 04:04:07.72231+05:45');
INSERT INTO rota.leases VALUES ('clock', NULL, '2026-12-01 04:04:07.945187+05:45');
INSERT INTO rota.leases VALUES ('retention', NULL, '2026-12-01 04:04:07.969066+05:45');
INSERT INTO rota.meta VALUES ('zone_data', '"2026f"');
INSERT INTO rota.nodes VALUES ('a1e447247fad483ead49fe73d8f93206', 'vm', 13961, 'scheduler,worker', NULL, 100, 'stopped', false, 1, '2026-12-01 04:04:07.886065+05:45', '2026-12-01 04:04:07.899136+05:45', '2026-12-01 04:04:11.116668+05:45', '0.1.0', '2026f');
INSERT INTO rota.rota_version VALUES ('0001');
INSERT INTO rota.runs VALUES (13, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-3c1163341e3548a986d9c0832806bfa7', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.880886+05:45', '2026-12-01 04:04:08.890425+05:45', '2026-12-01 04:04:08.908082+05:45');
INSERT INTO rota.runs VALUES (1, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-33dee2cb03784afa9d483d492c362462', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:07.957387+05:45', '2026-12-01 04:04:07.968149+05:45', '2026-12-01 04:04:08.115255+05:45');
INSERT INTO rota.runs VALUES (2, 2, 2, '2026-12-01 04:04:08+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '1', NULL, NULL, '2026-12-01 04:04:08.002816+05:45', '2026-12-01 04:04:08.075645+05:45', '2026-12-01 04:04:08.129239+05:45');
INSERT INTO rota.runs VALUES (9, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-2ba9053012ea4ef299f61a2160b55706', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.616011+05:45', '2026-12-01 04:04:08.632392+05:45', '2026-12-01 04:04:08.641321+05:45');
INSERT INTO rota.runs VALUES (3, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-75db6b4384624af3ac2c004377ab6cab', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.220056+05:45', '2026-12-01 04:04:08.240307+05:45', '2026-12-01 04:04:08.258683+05:45');
INSERT INTO rota.runs VALUES (4, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-3ee2c600970f42d6b63174ce396697dc', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.309277+05:45', '2026-12-01 04:04:08.321017+05:45', '2026-12-01 04:04:08.337251+05:45');
INSERT INTO rota.runs VALUES (5, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-8a12e5cc06324f2db4f95b827f1ee637', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.356361+05:45', '2026-12-01 04:04:08.37701+05:45', '2026-12-01 04:04:08.387289+05:45');
INSERT INTO rota.runs VALUES (10, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-88cb4f536d294299a87e4f3fab2f4f5b', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.650892+05:45', '2026-12-01 04:04:08.659992+05:45', '2026-12-01 04:04:08.677303+05:45');
INSERT INTO rota.runs VALUES (6, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-02725503f25848a5b5f94933666d2753', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.417367+05:45', '2026-12-01 04:04:08.44392+05:45', '2026-12-01 04:04:08.461235+05:45');
INSERT INTO rota.runs VALUES (7, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-7ef438efc1884e94ac9933a7e379d8ac', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.479778+05:45', '2026-12-01 04:04:08.488192+05:45', '2026-12-01 04:04:08.50203+05:45');
INSERT INTO rota.runs VALUES (8, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-28cad0a883b04262a07382203b313249', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.544569+05:45', '2026-12-01 04:04:08.584628+05:45', '2026-12-01 04:04:08.595955+05:45');
INSERT INTO rota.runs VALUES (14, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-c5dfa0282d24423586e0180694f40f16', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.958318+05:45', '2026-12-01 04:04:08.970873+05:45', '2026-12-01 04:04:08.983376+05:45');
INSERT INTO rota.runs VALUES (11, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-12915d2b662549adadaba419ae0c3a84', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.729112+05:45', '2026-12-01 04:04:08.753673+05:45', '2026-12-01 04:04:08.766583+05:45');
INSERT INTO rota.runs VALUES (12, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-788caaa2df0d4132bdcb78b4eb6690bd', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:08.831414+05:45', '2026-12-01 04:04:08.845695+05:45', '2026-12-01 04:04:08.853241+05:45');
INSERT INTO rota.runs VALUES (18, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-6ec428a072984a2f91d12443daa277a7', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.122155+05:45', '2026-12-01 04:04:09.159198+05:45', '2026-12-01 04:04:09.168339+05:45');
INSERT INTO rota.runs VALUES (17, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-c50094e22c66411f8e0b079b989adfc0', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.088765+05:45', '2026-12-01 04:04:09.099183+05:45', '2026-12-01 04:04:09.110821+05:45');
INSERT INTO rota.runs VALUES (15, 2, 2, '2026-12-01 04:04:09+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '2', NULL, NULL, '2026-12-01 04:04:09.001932+05:45', '2026-12-01 04:04:09.018901+05:45', '2026-12-01 04:04:09.040345+05:45');
INSERT INTO rota.runs VALUES (16, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-18eb33e35f1d4a9582383b47b40fea86', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.026888+05:45', '2026-12-01 04:04:09.032353+05:45', '2026-12-01 04:04:09.065619+05:45');
INSERT INTO rota.runs VALUES (20, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ed7633016cae4ef08951f0b419f36ce1', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.281048+05:45', '2026-12-01 04:04:09.306559+05:45', '2026-12-01 04:04:09.318071+05:45');
INSERT INTO rota.runs VALUES (19, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-a67887a9bb244d089268c4962db0694a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.204166+05:45', '2026-12-01 04:04:09.224518+05:45', '2026-12-01 04:04:09.249309+05:45');
INSERT INTO rota.runs VALUES (50, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-98ef1922a60d4d88a8ba58c62ce161f5', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:11.045323+05:45', '2026-12-01 04:04:11.07219+05:45', '2026-12-01 04:04:11.084144+05:45');
INSERT INTO rota.runs VALUES (21, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-6bb2653c3d094724840bc09338c51aaf', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.350708+05:45', '2026-12-01 04:04:09.407764+05:45', '2026-12-01 04:04:09.437046+05:45');
INSERT INTO rota.runs VALUES (23, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-bcfe5c2e300d4e70bd183b5f812e11fa', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.513492+05:45', '2026-12-01 04:04:09.52123+05:45', '2026-12-01 04:04:09.538154+05:45');
INSERT INTO rota.runs VALUES (30, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-61bc892c4f9c450bb969317ddeb7ff19', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.801866+05:45', '2026-12-01 04:04:09.813016+05:45', '2026-12-01 04:04:09.819044+05:45');
INSERT INTO rota.runs VALUES (38, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-94772dabb6e2411b9870b6c37c738d0a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.189406+05:45', '2026-12-01 04:04:10.197505+05:45', '2026-12-01 04:04:10.20534+05:45');
INSERT INTO rota.runs VALUES (39, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-e2b51f9b52bd4d9b9cb80ed987c411fb', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.283688+05:45', '2026-12-01 04:04:10.296187+05:45', '2026-12-01 04:04:10.307829+05:45');
INSERT INTO rota.runs VALUES (44, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-c246c5448fb64146815e3f507ec3efb2', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.612006+05:45', '2026-12-01 04:04:10.630443+05:45', '2026-12-01 04:04:10.639834+05:45');
INSERT INTO rota.runs VALUES (47, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-3e92b91182db46958f35e0b04afd9d3f', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.795844+05:45', '2026-12-01 04:04:10.827288+05:45', '2026-12-01 04:04:10.845433+05:45');
INSERT INTO rota.runs VALUES (22, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-ffee8a4dedad45deb4e4e2584fd78287', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.463243+05:45', '2026-12-01 04:04:09.486001+05:45', '2026-12-01 04:04:09.4927+05:45');
INSERT INTO rota.runs VALUES (37, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-2d4975ffdbbc4e269bce7e7b84f44d08', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.104881+05:45', '2026-12-01 04:04:10.119723+05:45', '2026-12-01 04:04:10.155586+05:45');
INSERT INTO rota.runs VALUES (40, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-2d052c5a3228452891d27f7a35ba62f9', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.326446+05:45', '2026-12-01 04:04:10.337303+05:45', '2026-12-01 04:04:10.347216+05:45');
INSERT INTO rota.runs VALUES (45, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-b5d16a161a714334b6d401cb455c4293', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.663256+05:45', '2026-12-01 04:04:10.718235+05:45', '2026-12-01 04:04:10.732695+05:45');
INSERT INTO rota.runs VALUES (24, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-e6334f773a564de5a80454a0afd806fa', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.560313+05:45', '2026-12-01 04:04:09.584656+05:45', '2026-12-01 04:04:09.598762+05:45');
INSERT INTO rota.runs VALUES (25, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-704ee28f06bf4565b54c48ea6df29bec', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.620603+05:45', '2026-12-01 04:04:09.631072+05:45', '2026-12-01 04:04:09.636775+05:45');
INSERT INTO rota.runs VALUES (27, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-52fea08f3e48429598ca4bfd97056cf2', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.684402+05:45', '2026-12-01 04:04:09.70105+05:45', '2026-12-01 04:04:09.705641+05:45');
INSERT INTO rota.runs VALUES (28, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-94d655f40d7b479286f987549edc5804', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.725272+05:45', '2026-12-01 04:04:09.734864+05:45', '2026-12-01 04:04:09.743347+05:45');
INSERT INTO rota.runs VALUES (35, 2, 2, '2026-12-01 04:04:10+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '3', NULL, NULL, '2026-12-01 04:04:10.002187+05:45', '2026-12-01 04:04:10.03664+05:45', '2026-12-01 04:04:10.053528+05:45');
INSERT INTO rota.runs VALUES (41, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-283e8faaa2da4d8182a80ead403fea9b', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.367761+05:45', '2026-12-01 04:04:10.376681+05:45', '2026-12-01 04:04:10.39403+05:45');
INSERT INTO rota.runs VALUES (42, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-37aeafe1d825491483074f0750a35822', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.432976+05:45', '2026-12-01 04:04:10.459324+05:45', '2026-12-01 04:04:10.47562+05:45');
INSERT INTO rota.runs VALUES (51, 2, 2, '2026-12-01 04:04:11+05:45', NULL, NULL, 'succeeded', NULL, 'schedule', 'default', 0, 's:2', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '4', NULL, NULL, '2026-12-01 04:04:11.065177+05:45', '2026-12-01 04:04:11.07219+05:45', '2026-12-01 04:04:11.084144+05:45');
INSERT INTO rota.runs VALUES (26, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-e65543faf15b434e923227d357ee833a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.64748+05:45', '2026-12-01 04:04:09.65979+05:45', '2026-12-01 04:04:09.668514+05:45');
INSERT INTO rota.runs VALUES (31, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-667c2672736c474296c6aefd03f2918d', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.841597+05:45', '2026-12-01 04:04:09.861646+05:45', '2026-12-01 04:04:09.868236+05:45');
INSERT INTO rota.runs VALUES (34, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-9dbcab05853047d3bbd9cde5e36d5233', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.979386+05:45', '2026-12-01 04:04:09.993243+05:45', '2026-12-01 04:04:10.010245+05:45');
INSERT INTO rota.runs VALUES (46, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-40d7c203dbb84fee966d4e10ab5d8373', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.759321+05:45', '2026-12-01 04:04:10.773512+05:45', '2026-12-01 04:04:10.779026+05:45');
INSERT INTO rota.runs VALUES (48, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-fe54f2da2e7547968af42c32f064a0ce', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.879478+05:45', '2026-12-01 04:04:10.89376+05:45', '2026-12-01 04:04:10.9019+05:45');
INSERT INTO rota.runs VALUES (49, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-b66075fd00e9451fa98f28deb585526b', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.920809+05:45', '2026-12-01 04:04:10.96549+05:45', '2026-12-01 04:04:11.009758+05:45');
INSERT INTO rota.runs VALUES (29, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-0c6f31d580944f0baea33e44c3e3e90a', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.764773+05:45', '2026-12-01 04:04:09.770636+05:45', '2026-12-01 04:04:09.779322+05:45');
INSERT INTO rota.runs VALUES (32, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-d1fcffe7e7fe4390a629cf988585c427', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.885447+05:45', '2026-12-01 04:04:09.893883+05:45', '2026-12-01 04:04:09.919734+05:45');
INSERT INTO rota.runs VALUES (33, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-bf6fea9c92fd4d618736ceba1bec6e4f', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:09.932972+05:45', '2026-12-01 04:04:09.944868+05:45', '2026-12-01 04:04:09.953401+05:45');
INSERT INTO rota.runs VALUES (36, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-828410c5deab460ca41ad2da914d8539', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.060753+05:45', '2026-12-01 04:04:10.082374+05:45', '2026-12-01 04:04:10.092085+05:45');
INSERT INTO rota.runs VALUES (43, 1, 1, NULL, 'default/default/default', 'default/default/default/nightly@manual-2f2e58d47e844c80bcaf34d7dbf961f0', 'succeeded', NULL, 'manual', 'default', 0, 's:1', false, true, NULL, NULL, NULL, 1, 0, 1, 'a1e447247fad483ead49fe73d8f93206', NULL, NULL, NULL, NULL, NULL, '"done"', NULL, NULL, '2026-12-01 04:04:10.517651+05:45', '2026-12-01 04:04:10.540214+05:45', '2026-12-01 04:04:10.551578+05:45');
INSERT INTO rota.schedules VALUES (1, 'default', 'default', 'default', 'nightly', NULL, '{}', NULL, 'app', 'code:tests.migration.dump:rota', '{"job": "nightly", "args": {}, "when": "every day at 03:15", "timezone": "Europe/Stockholm"}', '2026-12-01 04:04:07.72231+05:45', '2026-12-01 04:04:11.614014+05:45', NULL);
INSERT INTO rota.schedules VALUES (2, 'default', 'default', 'default', 'tick', NULL, '{}', NULL, 'app', 'code:tests.migration.dump:rota', '{"job": "tick", "args": {}, "when": "every second"}', '2026-12-01 04:04:07.799776+05:45', '2026-12-01 04:04:14.217301+05:45', NULL);
INSERT INTO rota.spine VALUES (1);
SELECT pg_catalog.setval('rota.changes_id_seq', 5, true);
SELECT pg_catalog.setval('rota.decisions_id_seq', 1, true);
SELECT pg_catalog.setval('rota.definitions_id_seq', 3, true);
SELECT pg_catalog.setval('rota.event_inbox_id_seq', 110, true);
SELECT pg_catalog.setval('rota.events_id_seq', 105, true);
SELECT pg_catalog.setval('rota.runs_id_seq', 51, true);
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

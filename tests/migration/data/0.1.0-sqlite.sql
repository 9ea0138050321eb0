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
INSERT INTO "rota_changes" VALUES(1,1796077136787829,'default/default/default/nightly','created','rota','code','declared by code:tests.migration.dump:rota',NULL,'{"job":"nightly","when":"every day at 03:15","timezone":"Europe/Stockholm"}');
INSERT INTO "rota_changes" VALUES(2,1796077136801584,'default/default/default/tick','created','rota','code','declared by code:tests.migration.dump:rota',NULL,'{"job":"tick","when":"every second"}');
INSERT INTO "rota_changes" VALUES(3,1796077140074849,'default/default/default/nightly','updated','python','python','the backup moved','{"when":"every day at 03:15"}','{"when":"every day at 04:15"}');
INSERT INTO "rota_changes" VALUES(4,1796077140105508,'default/default/default/tick','paused','python','python','for the dump','{"state":"active","paused_until":null}','{"state":"paused","paused_until":null}');
INSERT INTO "rota_changes" VALUES(5,1796077142658231,'default/default/default/tick','resumed','python','python',NULL,'{"state":"paused","paused_until":null}','{"state":"active","paused_until":null}');
CREATE TABLE rota_claims (
    run_id BIGINT NOT NULL,
    token INTEGER NOT NULL,
    node TEXT NOT NULL,
    lane TEXT NOT NULL,
    PRIMARY KEY (run_id)
);
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
INSERT INTO "rota_cursors" VALUES(1,3,2,'active',1796077140074849,1796094900000000,1796094900000000,NULL,NULL,NULL,NULL,NULL,'2026f',NULL);
INSERT INTO "rota_cursors" VALUES(2,2,1,'active',1796077142658231,1796077143000000,1796077143000000,NULL,NULL,NULL,NULL,NULL,'2026f',NULL);
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
INSERT INTO "rota_decisions" VALUES(1,2,1796077140000000,1796077142658231,'skipped','paused',1,'python',1796077142658231);
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
INSERT INTO "rota_definitions" VALUES(1,1,1,'default/default/default/nightly','every day at 03:15','every day at 03:15','Europe/Stockholm','Europe/Stockholm','nightly','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"skip","single_flight":null,"queue_max":1000,"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796077136787829);
INSERT INTO "rota_definitions" VALUES(2,2,1,'default/default/default/tick','every second','every second',NULL,'UTC','tick','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"queue_one","single_flight":null,"queue_max":1000,"retry":{"attempts":1,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796077136801584);
INSERT INTO "rota_definitions" VALUES(3,1,2,'default/default/default/nightly','every day at 04:15','every day at 04:15','Europe/Stockholm','Europe/Stockholm','nightly','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"skip","single_flight":null,"queue_max":1000,"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796077140074849);
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
INSERT INTO "rota_events" VALUES(1,'schedule.created',1796077136787829,'default/default/default/nightly',NULL,'{"schedule_id":1,"job":"nightly","by":"rota","channel":"code","reason":"declared by code:tests.migration.dump:rota","before":null,"after":{"job":"nightly","when":"every day at 03:15","timezone":"Europe/Stockholm"}}');
INSERT INTO "rota_events" VALUES(2,'schedule.created',1796077136801584,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"rota","channel":"code","reason":"declared by code:tests.migration.dump:rota","before":null,"after":{"job":"tick","when":"every second"}}');
INSERT INTO "rota_events" VALUES(3,'node.started',1796077136826332,'22af9ba0ff0149179c8c197bfe4b1255',NULL,'{"host":"vm","pid":13961,"roles":"scheduler,worker","lanes":null,"slots":100,"version":"0.1.0"}');
INSERT INTO "rota_events" VALUES(4,'run.requested',1796077136860203,'default/default/default/nightly',NULL,'{"run":1,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(5,'run.succeeded',1796077136940257,'default/default/default/nightly',NULL,'{"run":1,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(6,'run.requested',1796077137000933,'default/default/default/nightly',NULL,'{"run":2,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(7,'schedule.fired',1796077137006194,'default/default/default/tick','V200610SCHTRG','{"run":3,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:18:57+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(8,'run.succeeded',1796077137030364,'default/default/default/nightly',NULL,'{"run":2,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(9,'run.succeeded',1796077137030364,'default/default/default/tick',NULL,'{"run":3,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:18:57Z"}');
INSERT INTO "rota_events" VALUES(10,'run.requested',1796077137068838,'default/default/default/nightly',NULL,'{"run":4,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(11,'run.succeeded',1796077137199987,'default/default/default/nightly',NULL,'{"run":4,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(12,'run.requested',1796077137256549,'default/default/default/nightly',NULL,'{"run":5,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(13,'run.succeeded',1796077137383641,'default/default/default/nightly',NULL,'{"run":5,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(14,'run.requested',1796077137411459,'default/default/default/nightly',NULL,'{"run":6,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(15,'run.succeeded',1796077137476744,'default/default/default/nightly',NULL,'{"run":6,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(16,'run.requested',1796077137508271,'default/default/default/nightly',NULL,'{"run":7,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(17,'run.succeeded',1796077137555069,'default/default/default/nightly',NULL,'{"run":7,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(18,'run.requested',1796077137570733,'default/default/default/nightly',NULL,'{"run":8,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(19,'run.succeeded',1796077137661347,'default/default/default/nightly',NULL,'{"run":8,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(20,'run.requested',1796077137675386,'default/default/default/nightly',NULL,'{"run":9,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(21,'run.succeeded',1796077137761357,'default/default/default/nightly',NULL,'{"run":9,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(22,'run.requested',1796077137794148,'default/default/default/nightly',NULL,'{"run":10,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(23,'run.succeeded',1796077137861541,'default/default/default/nightly',NULL,'{"run":10,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(24,'run.requested',1796077137907304,'default/default/default/nightly',NULL,'{"run":11,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(25,'run.succeeded',1796077137965542,'default/default/default/nightly',NULL,'{"run":11,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(26,'schedule.fired',1796077138000772,'default/default/default/tick','V200610SCHTRG','{"run":12,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:18:58+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(27,'run.requested',1796077138039178,'default/default/default/nightly',NULL,'{"run":13,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(28,'run.succeeded',1796077138077118,'default/default/default/tick',NULL,'{"run":12,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:18:58Z"}');
INSERT INTO "rota_events" VALUES(29,'run.succeeded',1796077138077118,'default/default/default/nightly',NULL,'{"run":13,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(30,'run.requested',1796077138106713,'default/default/default/nightly',NULL,'{"run":14,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(31,'run.succeeded',1796077138174791,'default/default/default/nightly',NULL,'{"run":14,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(32,'run.requested',1796077138189317,'default/default/default/nightly',NULL,'{"run":15,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(33,'run.succeeded',1796077138275598,'default/default/default/nightly',NULL,'{"run":15,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(34,'run.requested',1796077138309461,'default/default/default/nightly',NULL,'{"run":16,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(35,'run.succeeded',1796077138372307,'default/default/default/nightly',NULL,'{"run":16,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(36,'run.requested',1796077138382100,'default/default/default/nightly',NULL,'{"run":17,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(37,'run.succeeded',1796077138474498,'default/default/default/nightly',NULL,'{"run":17,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(38,'run.requested',1796077138500787,'default/default/default/nightly',NULL,'{"run":18,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(39,'run.succeeded',1796077138581076,'default/default/default/nightly',NULL,'{"run":18,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(40,'run.requested',1796077138620708,'default/default/default/nightly',NULL,'{"run":19,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(41,'run.succeeded',1796077138676741,'default/default/default/nightly',NULL,'{"run":19,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(42,'run.requested',1796077138688627,'default/default/default/nightly',NULL,'{"run":20,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(43,'run.succeeded',1796077138710716,'default/default/default/nightly',NULL,'{"run":20,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(44,'run.requested',1796077138723733,'default/default/default/nightly',NULL,'{"run":21,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(45,'run.succeeded',1796077138774396,'default/default/default/nightly',NULL,'{"run":21,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(46,'run.requested',1796077138795634,'default/default/default/nightly',NULL,'{"run":22,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(47,'run.succeeded',1796077138873802,'default/default/default/nightly',NULL,'{"run":22,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(48,'run.requested',1796077138900329,'default/default/default/nightly',NULL,'{"run":23,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(49,'run.succeeded',1796077138977589,'default/default/default/nightly',NULL,'{"run":23,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(50,'schedule.fired',1796077139002884,'default/default/default/tick','V200610SCHTRG','{"run":24,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:18:59+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(51,'run.requested',1796077139021981,'default/default/default/nightly',NULL,'{"run":25,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(52,'run.succeeded',1796077139036488,'default/default/default/tick',NULL,'{"run":24,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:18:59Z"}');
INSERT INTO "rota_events" VALUES(53,'run.succeeded',1796077139044431,'default/default/default/nightly',NULL,'{"run":25,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(54,'run.requested',1796077139078451,'default/default/default/nightly',NULL,'{"run":26,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(55,'run.succeeded',1796077139232315,'default/default/default/nightly',NULL,'{"run":26,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(56,'run.requested',1796077139252328,'default/default/default/nightly',NULL,'{"run":27,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(57,'run.succeeded',1796077139340249,'default/default/default/nightly',NULL,'{"run":27,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(58,'run.requested',1796077139359007,'default/default/default/nightly',NULL,'{"run":28,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(59,'run.succeeded',1796077139438455,'default/default/default/nightly',NULL,'{"run":28,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(60,'run.requested',1796077139469735,'default/default/default/nightly',NULL,'{"run":29,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(61,'run.succeeded',1796077139537181,'default/default/default/nightly',NULL,'{"run":29,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(62,'run.requested',1796077139574247,'default/default/default/nightly',NULL,'{"run":30,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(63,'run.succeeded',1796077139638641,'default/default/default/nightly',NULL,'{"run":30,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(64,'run.requested',1796077139680130,'default/default/default/nightly',NULL,'{"run":31,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(65,'run.succeeded',1796077139749912,'default/default/default/nightly',NULL,'{"run":31,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(66,'run.requested',1796077139792108,'default/default/default/nightly',NULL,'{"run":32,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(67,'run.succeeded',1796077139841128,'default/default/default/nightly',NULL,'{"run":32,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(68,'run.requested',1796077139854211,'default/default/default/nightly',NULL,'{"run":33,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(69,'run.succeeded',1796077139945213,'default/default/default/nightly',NULL,'{"run":33,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(70,'run.requested',1796077139965758,'default/default/default/nightly',NULL,'{"run":34,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(71,'schedule.fired',1796077140001497,'default/default/default/tick','V200610SCHTRG','{"run":35,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:19:00+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(72,'run.succeeded',1796077140042912,'default/default/default/nightly',NULL,'{"run":34,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(73,'run.succeeded',1796077140042912,'default/default/default/tick',NULL,'{"run":35,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:19:00Z"}');
INSERT INTO "rota_events" VALUES(74,'node.stopped',1796077140067040,'22af9ba0ff0149179c8c197bfe4b1255',NULL,'{}');
INSERT INTO "rota_events" VALUES(75,'schedule.updated',1796077140074849,'default/default/default/nightly',NULL,'{"schedule_id":1,"job":"nightly","by":"python","channel":"python","reason":"the backup moved","before":{"when":"every day at 03:15"},"after":{"when":"every day at 04:15"}}');
INSERT INTO "rota_events" VALUES(76,'schedule.paused',1796077140105508,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"python","channel":"python","reason":"for the dump","before":{"state":"active","paused_until":null},"after":{"state":"paused","paused_until":null}}');
INSERT INTO "rota_events" VALUES(77,'schedule.skipped',1796077142658231,'default/default/default/tick',NULL,'{"reason":"paused","after":"2026-11-30T22:19:00Z","until":"2026-11-30T22:19:02.658231Z"}');
INSERT INTO "rota_events" VALUES(78,'schedule.resumed',1796077142658231,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"python","channel":"python","reason":null,"before":{"state":"paused","paused_until":null},"after":{"state":"active","paused_until":null}}');
CREATE TABLE rota_flights (
    flight TEXT NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (flight)
);
INSERT INTO "rota_flights" VALUES('s:1',34);
INSERT INTO "rota_flights" VALUES('s:2',35);
CREATE TABLE rota_health (
    schedule_id BIGINT NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    last_success_at BIGINT,
    last_success_for BIGINT,
    PRIMARY KEY (schedule_id)
);
INSERT INTO "rota_health" VALUES(1,0,1796077140042912,NULL);
INSERT INTO "rota_health" VALUES(2,0,1796077140042912,1796077140000000);
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
INSERT INTO "rota_jobs" VALUES('nightly','python',1,NULL,'{"type":"object","properties":{},"required":[],"additionalProperties":false}','{"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]}}','default',0,'code:tests.migration.dump:rota',1796077136739114,1796077136739114);
INSERT INTO "rota_jobs" VALUES('tick','python',1,NULL,'{"type":"object","properties":{},"required":[],"additionalProperties":false}','{"overlap":"queue_one"}','default',0,'code:tests.migration.dump:rota',1796077136739114,1796077136739114);
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
INSERT INTO "rota_lanes" VALUES('default',NULL,NULL,NULL,NULL,0,NULL,NULL,1796077136787829);
CREATE TABLE rota_leases (
    name TEXT NOT NULL,
    node TEXT,
    at BIGINT,
    PRIMARY KEY (name)
);
INSERT INTO "rota_leases" VALUES('clock',NULL,1796077136897647);
INSERT INTO "rota_leases" VALUES('retention',NULL,1796077136909329);
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
INSERT INTO "rota_meta" VALUES('zone_data','"2026f"');
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
INSERT INTO "rota_nodes" VALUES('22af9ba0ff0149179c8c197bfe4b1255','vm',13961,'scheduler,worker',NULL,100,'stopped',0,1,1796077136826332,1796077136840243,1796077140067040,'0.1.0','2026f');
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
INSERT INTO "rota_runs" VALUES(1,1,1,NULL,'default/default/default','default/default/default/nightly@manual-b123070171b74ad78c3fcf3be8e914cf','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077136860203,1796077136928889,1796077136940257);
INSERT INTO "rota_runs" VALUES(2,1,1,NULL,'default/default/default','default/default/default/nightly@manual-9f2d9f44019f45d3b399a7cf27e0ab79','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137000933,1796077137021967,1796077137030364);
INSERT INTO "rota_runs" VALUES(3,2,2,1796077137000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'1',NULL,NULL,1796077137006194,1796077137021967,1796077137030364);
INSERT INTO "rota_runs" VALUES(4,1,1,NULL,'default/default/default','default/default/default/nightly@manual-71c0762ced1b40f19727558547349f9f','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137068838,1796077137139754,1796077137199987);
INSERT INTO "rota_runs" VALUES(5,1,1,NULL,'default/default/default','default/default/default/nightly@manual-fa220177261f4911a9de70146d1ae27a','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137256549,1796077137344634,1796077137383641);
INSERT INTO "rota_runs" VALUES(6,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c552df5d8b2d42308c4cdd841dc26301','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137411459,1796077137446748,1796077137476744);
INSERT INTO "rota_runs" VALUES(7,1,1,NULL,'default/default/default','default/default/default/nightly@manual-dc384102b2694a4a9640181c415e97ff','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137508271,1796077137547116,1796077137555069);
INSERT INTO "rota_runs" VALUES(8,1,1,NULL,'default/default/default','default/default/default/nightly@manual-dc5c083bac7e49a1bbd8c7431b469f8a','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137570733,1796077137649446,1796077137661347);
INSERT INTO "rota_runs" VALUES(9,1,1,NULL,'default/default/default','default/default/default/nightly@manual-ae04f6df6f4043dda2a26ef419894a04','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137675386,1796077137748947,1796077137761357);
INSERT INTO "rota_runs" VALUES(10,1,1,NULL,'default/default/default','default/default/default/nightly@manual-57e75d6b5f3c47daace122e615ff48bb','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137794148,1796077137851497,1796077137861541);
INSERT INTO "rota_runs" VALUES(11,1,1,NULL,'default/default/default','default/default/default/nightly@manual-42ce7fe8b75f4971806312554fcb427f','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077137907304,1796077137951408,1796077137965542);
INSERT INTO "rota_runs" VALUES(12,2,2,1796077138000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'2',NULL,NULL,1796077138000772,1796077138053278,1796077138077118);
INSERT INTO "rota_runs" VALUES(13,1,1,NULL,'default/default/default','default/default/default/nightly@manual-aeb5ea801f6b4fe78893d51a745747e0','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138039178,1796077138053278,1796077138077118);
INSERT INTO "rota_runs" VALUES(14,1,1,NULL,'default/default/default','default/default/default/nightly@manual-702f8c9158c84df6af7c5671affe4c6b','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138106713,1796077138156911,1796077138174791);
INSERT INTO "rota_runs" VALUES(15,1,1,NULL,'default/default/default','default/default/default/nightly@manual-3f278cf1db7e423d98dafbff8afccab0','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138189317,1796077138258297,1796077138275598);
INSERT INTO "rota_runs" VALUES(16,1,1,NULL,'default/default/default','default/default/default/nightly@manual-a7da0405f06f413283da3b30e18b97f7','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138309461,1796077138357438,1796077138372307);
INSERT INTO "rota_runs" VALUES(17,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c645b3f555364928873325f885857578','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138382100,1796077138459832,1796077138474498);
INSERT INTO "rota_runs" VALUES(18,1,1,NULL,'default/default/default','default/default/default/nightly@manual-97f9dec532a84e36b9d60c466c991f52','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138500787,1796077138559113,1796077138581076);
INSERT INTO "rota_runs" VALUES(19,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c4475746ab60435aafd015c1e62a23f0','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138620708,1796077138663900,1796077138676741);
INSERT INTO "rota_runs" VALUES(20,1,1,NULL,'default/default/default','default/default/default/nightly@manual-3f4b4963869c442ead47254cc8f41d74','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138688627,1796077138697291,1796077138710716);
INSERT INTO "rota_runs" VALUES(21,1,1,NULL,'default/default/default','default/default/default/nightly@manual-310538c4d8604a5fa88515861b1eddbe','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138723733,1796077138765491,1796077138774396);
INSERT INTO "rota_runs" VALUES(22,1,1,NULL,'default/default/default','default/default/default/nightly@manual-df84b0479f1940cea6b4b017c25a3588','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138795634,1796077138867130,1796077138873802);
INSERT INTO "rota_runs" VALUES(23,1,1,NULL,'default/default/default','default/default/default/nightly@manual-fe042b67c94445d690a49ecc943d66b9','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077138900329,1796077138968118,1796077138977589);
INSERT INTO "rota_runs" VALUES(24,2,2,1796077139000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'3',NULL,NULL,1796077139002884,1796077139007595,1796077139036488);
INSERT INTO "rota_runs" VALUES(25,1,1,NULL,'default/default/default','default/default/default/nightly@manual-dc5d27ebf53e4dc3b6f30ad31046b463','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139021981,1796077139026991,1796077139044431);
INSERT INTO "rota_runs" VALUES(26,1,1,NULL,'default/default/default','default/default/default/nightly@manual-9ce9a864323e46e58fe9d3ac35c35127','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139078451,1796077139225843,1796077139232315);
INSERT INTO "rota_runs" VALUES(27,1,1,NULL,'default/default/default','default/default/default/nightly@manual-ca83e26f678743e78203f69a46e53a0d','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139252328,1796077139329914,1796077139340249);
INSERT INTO "rota_runs" VALUES(28,1,1,NULL,'default/default/default','default/default/default/nightly@manual-59b93c1e190243048792b8e07e0fd356','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139359007,1796077139429826,1796077139438455);
INSERT INTO "rota_runs" VALUES(29,1,1,NULL,'default/default/default','default/default/default/nightly@manual-e5f06f3b8bc1403e8c97e006f7d78f2e','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139469735,1796077139529921,1796077139537181);
INSERT INTO "rota_runs" VALUES(30,1,1,NULL,'default/default/default','default/default/default/nightly@manual-7bfe4b4745364144892593beb8bbc756','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139574247,1796077139630233,1796077139638641);
INSERT INTO "rota_runs" VALUES(31,1,1,NULL,'default/default/default','default/default/default/nightly@manual-0cb841c9d84748f38d6e64e5e14ea150','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139680130,1796077139736547,1796077139749912);
INSERT INTO "rota_runs" VALUES(32,1,1,NULL,'default/default/default','default/default/default/nightly@manual-bbe4b78286e9405093d0b6ff88209583','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139792108,1796077139835974,1796077139841128);
INSERT INTO "rota_runs" VALUES(33,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c60c784a88624308818a36ec08ed4154','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139854211,1796077139934758,1796077139945213);
INSERT INTO "rota_runs" VALUES(34,1,1,NULL,'default/default/default','default/default/default/nightly@manual-962616a497fa4c768224a44bb513a6f5','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796077139965758,1796077140026937,1796077140042912);
INSERT INTO "rota_runs" VALUES(35,2,2,1796077140000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'22af9ba0ff0149179c8c197bfe4b1255',NULL,NULL,NULL,NULL,NULL,'4',NULL,NULL,1796077140001497,1796077140026937,1796077140042912);
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
INSERT INTO "rota_schedules" VALUES(1,'default','default','default','nightly',NULL,'{}',NULL,'app','code:tests.migration.dump:rota','{"job":"nightly","when":"every day at 03:15","args":{},"timezone":"Europe/Stockholm"}',1796077136787829,1796077140074849,NULL);
INSERT INTO "rota_schedules" VALUES(2,'default','default','default','tick',NULL,'{}',NULL,'app','code:tests.migration.dump:rota','{"job":"tick","when":"every second","args":{}}',1796077136801584,1796077142658231,NULL);
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
INSERT INTO "rota_spine" VALUES(1);
CREATE TABLE rota_tenants (
    name TEXT NOT NULL,
    timezone TEXT,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (name)
);
CREATE TABLE rota_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT rota_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "rota_version" VALUES('0001');
CREATE INDEX rota_changes_subject ON rota_changes (subject, id);
CREATE INDEX rota_claims_node ON rota_claims (node);
CREATE INDEX rota_cursors_due ON rota_cursors (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX rota_cursors_unarmed ON rota_cursors (schedule_id) WHERE due_at IS NULL AND state = 'active';
CREATE INDEX rota_decisions_until ON rota_decisions (schedule_id, until_at);
CREATE UNIQUE INDEX rota_definitions_job ON rota_definitions ("key", revision) WHERE schedule_id IS NULL;
CREATE UNIQUE INDEX rota_definitions_revision ON rota_definitions (schedule_id, revision);
CREATE INDEX rota_events_subject ON rota_events (subject, id);
CREATE INDEX rota_nodes_state ON rota_nodes (state);
CREATE INDEX rota_runs_admit ON rota_runs (admit_at) WHERE admit_at IS NOT NULL;
CREATE UNIQUE INDEX rota_runs_invocation ON rota_runs (scope, invocation) WHERE invocation IS NOT NULL;
CREATE UNIQUE INDEX rota_runs_occurrence ON rota_runs (schedule_id, scheduled_for) WHERE scheduled_for IS NOT NULL AND retry_of IS NULL;
CREATE INDEX rota_runs_schedule ON rota_runs (schedule_id, id) WHERE schedule_id IS NOT NULL;
CREATE INDEX rota_runs_waiting ON rota_runs (flight, id) WHERE waiting;

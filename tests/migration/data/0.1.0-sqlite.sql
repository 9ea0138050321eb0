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
INSERT INTO "rota_changes" VALUES(1,1796076915204875,'default/default/default/nightly','created','rota','code','declared by code:tests.migration.dump:rota',NULL,'{"job":"nightly","when":"every day at 03:15","timezone":"Europe/Stockholm"}');
INSERT INTO "rota_changes" VALUES(2,1796076915226843,'default/default/default/tick','created','rota','code','declared by code:tests.migration.dump:rota',NULL,'{"job":"tick","when":"every second"}');
INSERT INTO "rota_changes" VALUES(3,1796076919155047,'default/default/default/nightly','updated','python','python','the backup moved','{"when":"every day at 03:15"}','{"when":"every day at 04:15"}');
INSERT INTO "rota_changes" VALUES(4,1796076919189315,'default/default/default/tick','paused','python','python','for the dump','{"state":"active","paused_until":null}','{"state":"paused","paused_until":null}');
INSERT INTO "rota_changes" VALUES(5,1796076919199499,'default/default/default/tick','resumed','python','python',NULL,'{"state":"paused","paused_until":null}','{"state":"active","paused_until":null}');
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
    PRIMARY KEY (schedule_id)
);
INSERT INTO "rota_cursors" VALUES(1,3,2,'active',1796076919155047,1796094900000000,1796094900000000,NULL,NULL,NULL,NULL,NULL,'2026f');
INSERT INTO "rota_cursors" VALUES(2,2,1,'active',1796076919199499,1796076920000000,1796076920000000,NULL,NULL,NULL,NULL,NULL,'2026f');
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
INSERT INTO "rota_definitions" VALUES(1,1,1,'default/default/default/nightly','every day at 03:15','every day at 03:15','Europe/Stockholm','Europe/Stockholm','nightly','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"skip","single_flight":null,"queue_max":1000,"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796076915204875);
INSERT INTO "rota_definitions" VALUES(2,2,1,'default/default/default/tick','every second','every second',NULL,'UTC','tick','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"queue_one","single_flight":null,"queue_max":1000,"retry":{"attempts":1,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796076915226843);
INSERT INTO "rota_definitions" VALUES(3,1,2,'default/default/default/nightly','every day at 04:15','every day at 04:15','Europe/Stockholm','Europe/Stockholm','nightly','{}','default',0,'{"catchup":"latest","catchup_window":null,"catchup_max":100,"grace":null,"overlap":"skip","single_flight":null,"queue_max":1000,"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]},"timeout":null,"on_lost":"retry","max_lost":3,"disable_after":null,"probe_after":null,"jitter":null,"on_edit":"skip","on_resume":"skip"}','{}',NULL,'auto','auto',NULL,NULL,NULL,NULL,1796076919155047);
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
INSERT INTO "rota_events" VALUES(1,'schedule.created',1796076915204875,'default/default/default/nightly',NULL,'{"schedule_id":1,"job":"nightly","by":"rota","channel":"code","reason":"declared by code:tests.migration.dump:rota","before":null,"after":{"job":"nightly","when":"every day at 03:15","timezone":"Europe/Stockholm"}}');
INSERT INTO "rota_events" VALUES(2,'schedule.created',1796076915226843,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"rota","channel":"code","reason":"declared by code:tests.migration.dump:rota","before":null,"after":{"job":"tick","when":"every second"}}');
INSERT INTO "rota_events" VALUES(3,'node.started',1796076915297091,'c458436ffe1d488ea643366eb82b0679',NULL,'{"host":"vm","pid":7517,"roles":"scheduler,worker","lanes":null,"slots":100,"version":"0.1.0"}');
INSERT INTO "rota_events" VALUES(4,'run.requested',1796076915336515,'default/default/default/nightly',NULL,'{"run":1,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(5,'run.succeeded',1796076915440016,'default/default/default/nightly',NULL,'{"run":1,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(6,'run.requested',1796076915465566,'default/default/default/nightly',NULL,'{"run":2,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(7,'run.succeeded',1796076915539719,'default/default/default/nightly',NULL,'{"run":2,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(8,'run.requested',1796076915578515,'default/default/default/nightly',NULL,'{"run":3,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(9,'run.succeeded',1796076915628757,'default/default/default/nightly',NULL,'{"run":3,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(10,'run.requested',1796076915635626,'default/default/default/nightly',NULL,'{"run":4,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(11,'run.succeeded',1796076915739998,'default/default/default/nightly',NULL,'{"run":4,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(12,'run.requested',1796076915838063,'default/default/default/nightly',NULL,'{"run":5,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(13,'run.succeeded',1796076915951042,'default/default/default/nightly',NULL,'{"run":5,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(14,'run.requested',1796076915960496,'default/default/default/nightly',NULL,'{"run":6,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(15,'schedule.fired',1796076916000922,'default/default/default/tick','V200610SCHTRG','{"run":7,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:15:16+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(16,'run.succeeded',1796076916019245,'default/default/default/nightly',NULL,'{"run":6,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(17,'run.succeeded',1796076916019245,'default/default/default/tick',NULL,'{"run":7,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:15:16Z"}');
INSERT INTO "rota_events" VALUES(18,'run.requested',1796076916064250,'default/default/default/nightly',NULL,'{"run":8,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(19,'run.succeeded',1796076916159883,'default/default/default/nightly',NULL,'{"run":8,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(20,'run.requested',1796076916189513,'default/default/default/nightly',NULL,'{"run":9,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(21,'run.succeeded',1796076916261724,'default/default/default/nightly',NULL,'{"run":9,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(22,'run.requested',1796076916264870,'default/default/default/nightly',NULL,'{"run":10,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(23,'run.succeeded',1796076916279585,'default/default/default/nightly',NULL,'{"run":10,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(24,'run.requested',1796076916292931,'default/default/default/nightly',NULL,'{"run":11,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(25,'run.succeeded',1796076916347498,'default/default/default/nightly',NULL,'{"run":11,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(26,'run.requested',1796076916353324,'default/default/default/nightly',NULL,'{"run":12,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(27,'run.succeeded',1796076916446232,'default/default/default/nightly',NULL,'{"run":12,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(28,'run.requested',1796076916454836,'default/default/default/nightly',NULL,'{"run":13,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(29,'run.succeeded',1796076916546888,'default/default/default/nightly',NULL,'{"run":13,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(30,'run.requested',1796076916556420,'default/default/default/nightly',NULL,'{"run":14,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(31,'run.succeeded',1796076916647754,'default/default/default/nightly',NULL,'{"run":14,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(32,'run.requested',1796076916658652,'default/default/default/nightly',NULL,'{"run":15,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(33,'run.succeeded',1796076916747786,'default/default/default/nightly',NULL,'{"run":15,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(34,'run.requested',1796076916760088,'default/default/default/nightly',NULL,'{"run":16,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(35,'run.succeeded',1796076916865395,'default/default/default/nightly',NULL,'{"run":16,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(36,'run.requested',1796076916930278,'default/default/default/nightly',NULL,'{"run":17,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(37,'run.succeeded',1796076916973440,'default/default/default/nightly',NULL,'{"run":17,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(38,'schedule.fired',1796076917001445,'default/default/default/tick','V200610SCHTRG','{"run":18,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:15:17+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(39,'run.requested',1796076917005919,'default/default/default/nightly',NULL,'{"run":19,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(40,'run.succeeded',1796076917038502,'default/default/default/tick',NULL,'{"run":18,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:15:17Z"}');
INSERT INTO "rota_events" VALUES(41,'run.succeeded',1796076917038502,'default/default/default/nightly',NULL,'{"run":19,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(42,'run.requested',1796076917044837,'default/default/default/nightly',NULL,'{"run":20,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(43,'run.succeeded',1796076917062663,'default/default/default/nightly',NULL,'{"run":20,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(44,'run.requested',1796076917075395,'default/default/default/nightly',NULL,'{"run":21,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(45,'run.succeeded',1796076917170798,'default/default/default/nightly',NULL,'{"run":21,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(46,'run.requested',1796076917179304,'default/default/default/nightly',NULL,'{"run":22,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(47,'run.succeeded',1796076917253593,'default/default/default/nightly',NULL,'{"run":22,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(48,'run.requested',1796076917287286,'default/default/default/nightly',NULL,'{"run":23,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(49,'run.succeeded',1796076917356095,'default/default/default/nightly',NULL,'{"run":23,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(50,'run.requested',1796076917392613,'default/default/default/nightly',NULL,'{"run":24,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(51,'run.succeeded',1796076917455272,'default/default/default/nightly',NULL,'{"run":24,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(52,'run.requested',1796076917498070,'default/default/default/nightly',NULL,'{"run":25,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(53,'run.succeeded',1796076917557268,'default/default/default/nightly',NULL,'{"run":25,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(54,'run.requested',1796076917565245,'default/default/default/nightly',NULL,'{"run":26,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(55,'run.succeeded',1796076917654816,'default/default/default/nightly',NULL,'{"run":26,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(56,'run.requested',1796076917667733,'default/default/default/nightly',NULL,'{"run":27,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(57,'run.succeeded',1796076917754768,'default/default/default/nightly',NULL,'{"run":27,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(58,'run.requested',1796076917772530,'default/default/default/nightly',NULL,'{"run":28,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(59,'run.succeeded',1796076917862362,'default/default/default/nightly',NULL,'{"run":28,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(60,'run.requested',1796076917874638,'default/default/default/nightly',NULL,'{"run":29,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(61,'run.succeeded',1796076917957664,'default/default/default/nightly',NULL,'{"run":29,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(62,'run.requested',1796076917978412,'default/default/default/nightly',NULL,'{"run":30,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(63,'schedule.fired',1796076918001371,'default/default/default/tick','V200610SCHTRG','{"run":31,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:15:18+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(64,'run.succeeded',1796076918013194,'default/default/default/nightly',NULL,'{"run":30,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(65,'run.succeeded',1796076918013194,'default/default/default/tick',NULL,'{"run":31,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:15:18Z"}');
INSERT INTO "rota_events" VALUES(66,'run.requested',1796076918042838,'default/default/default/nightly',NULL,'{"run":32,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(67,'run.succeeded',1796076918055072,'default/default/default/nightly',NULL,'{"run":32,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(68,'run.requested',1796076918069911,'default/default/default/nightly',NULL,'{"run":33,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(69,'run.succeeded',1796076918155920,'default/default/default/nightly',NULL,'{"run":33,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(70,'run.requested',1796076918172264,'default/default/default/nightly',NULL,'{"run":34,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(71,'run.succeeded',1796076918259901,'default/default/default/nightly',NULL,'{"run":34,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(72,'run.requested',1796076918281591,'default/default/default/nightly',NULL,'{"run":35,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(73,'run.succeeded',1796076918367999,'default/default/default/nightly',NULL,'{"run":35,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(74,'run.requested',1796076918393716,'default/default/default/nightly',NULL,'{"run":36,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(75,'run.succeeded',1796076918474331,'default/default/default/nightly',NULL,'{"run":36,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(76,'run.requested',1796076918499850,'default/default/default/nightly',NULL,'{"run":37,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(77,'run.succeeded',1796076918584052,'default/default/default/nightly',NULL,'{"run":37,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(78,'run.requested',1796076918612401,'default/default/default/nightly',NULL,'{"run":38,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(79,'run.succeeded',1796076918679864,'default/default/default/nightly',NULL,'{"run":38,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(80,'run.requested',1796076918731320,'default/default/default/nightly',NULL,'{"run":39,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(81,'run.succeeded',1796076918773353,'default/default/default/nightly',NULL,'{"run":39,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(82,'run.requested',1796076918801911,'default/default/default/nightly',NULL,'{"run":40,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(83,'run.succeeded',1796076918887455,'default/default/default/nightly',NULL,'{"run":40,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(84,'run.requested',1796076918918469,'default/default/default/nightly',NULL,'{"run":41,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(85,'run.succeeded',1796076919009070,'default/default/default/nightly',NULL,'{"run":41,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(86,'run.requested',1796076919041446,'default/default/default/nightly',NULL,'{"run":42,"job":"nightly","schedule":"default/default/default/nightly","by":"python","channel":"python","reason":null,"cause":"manual","place":"start"}');
INSERT INTO "rota_events" VALUES(87,'schedule.fired',1796076919079716,'default/default/default/tick','V200610SCHTRG','{"run":43,"job":"tick","schedule":"default/default/default/tick","scheduled_for":"2026-11-30T22:15:19+00:00","cause":"schedule","place":"start"}');
INSERT INTO "rota_events" VALUES(88,'run.succeeded',1796076919140033,'default/default/default/nightly',NULL,'{"run":42,"job":"nightly","schedule":"default/default/default/nightly","reason":null,"attempt":1}');
INSERT INTO "rota_events" VALUES(89,'run.succeeded',1796076919140033,'default/default/default/tick',NULL,'{"run":43,"job":"tick","schedule":"default/default/default/tick","reason":null,"attempt":1,"scheduled_for":"2026-11-30T22:15:19Z"}');
INSERT INTO "rota_events" VALUES(90,'node.stopped',1796076919147739,'c458436ffe1d488ea643366eb82b0679',NULL,'{}');
INSERT INTO "rota_events" VALUES(91,'schedule.updated',1796076919155047,'default/default/default/nightly',NULL,'{"schedule_id":1,"job":"nightly","by":"python","channel":"python","reason":"the backup moved","before":{"when":"every day at 03:15"},"after":{"when":"every day at 04:15"}}');
INSERT INTO "rota_events" VALUES(92,'schedule.paused',1796076919189315,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"python","channel":"python","reason":"for the dump","before":{"state":"active","paused_until":null},"after":{"state":"paused","paused_until":null}}');
INSERT INTO "rota_events" VALUES(93,'schedule.resumed',1796076919199499,'default/default/default/tick',NULL,'{"schedule_id":2,"job":"tick","by":"python","channel":"python","reason":null,"before":{"state":"paused","paused_until":null},"after":{"state":"active","paused_until":null}}');
CREATE TABLE rota_flights (
    flight TEXT NOT NULL,
    run_id BIGINT NOT NULL,
    PRIMARY KEY (flight)
);
INSERT INTO "rota_flights" VALUES('s:1',42);
INSERT INTO "rota_flights" VALUES('s:2',43);
CREATE TABLE rota_health (
    schedule_id BIGINT NOT NULL,
    consecutive_failures INTEGER NOT NULL,
    last_success_at BIGINT,
    last_success_for BIGINT,
    PRIMARY KEY (schedule_id)
);
INSERT INTO "rota_health" VALUES(1,0,1796076919140033,NULL);
INSERT INTO "rota_health" VALUES(2,0,1796076919140033,1796076919000000);
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
INSERT INTO "rota_jobs" VALUES('nightly','python',1,NULL,'{"type":"object","properties":{},"required":[],"additionalProperties":false}','{"retry":{"attempts":3,"backoff":"exponential","base":"10s","max":"1h","on":[]}}','default',0,'code:tests.migration.dump:rota',1796076915187323,1796076915187323);
INSERT INTO "rota_jobs" VALUES('tick','python',1,NULL,'{"type":"object","properties":{},"required":[],"additionalProperties":false}','{"overlap":"queue_one"}','default',0,'code:tests.migration.dump:rota',1796076915187323,1796076915187323);
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
INSERT INTO "rota_lanes" VALUES('default',NULL,NULL,NULL,NULL,0,NULL,NULL,1796076915204875);
CREATE TABLE rota_leases (
    name TEXT NOT NULL,
    node TEXT,
    at BIGINT,
    PRIMARY KEY (name)
);
INSERT INTO "rota_leases" VALUES('clock',NULL,1796076915444350);
INSERT INTO "rota_leases" VALUES('retention',NULL,1796076915454974);
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
INSERT INTO "rota_nodes" VALUES('c458436ffe1d488ea643366eb82b0679','vm',7517,'scheduler,worker',NULL,100,'stopped',0,1,1796076915297091,1796076915306196,1796076919147739,'0.1.0','2026f');
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
INSERT INTO "rota_runs" VALUES(1,1,1,NULL,'default/default/default','default/default/default/nightly@manual-a516c0fa6f184cbda7f7d8482a6314fc','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915336515,1796076915414134,1796076915440016);
INSERT INTO "rota_runs" VALUES(2,1,1,NULL,'default/default/default','default/default/default/nightly@manual-aa5777d487b145ccb9e9034d4924f0c4','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915465566,1796076915522789,1796076915539719);
INSERT INTO "rota_runs" VALUES(3,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c68935fdf1bc43e480186977af8fd562','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915578515,1796076915614096,1796076915628757);
INSERT INTO "rota_runs" VALUES(4,1,1,NULL,'default/default/default','default/default/default/nightly@manual-4680ad214a6040e29fbe3719bccb29db','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915635626,1796076915716382,1796076915739998);
INSERT INTO "rota_runs" VALUES(5,1,1,NULL,'default/default/default','default/default/default/nightly@manual-8cee2f5e89eb48ecb7815bbfc5c21b61','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915838063,1796076915931870,1796076915951042);
INSERT INTO "rota_runs" VALUES(6,1,1,NULL,'default/default/default','default/default/default/nightly@manual-3dfdd09f144e433e8223057b4a042443','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076915960496,1796076916007776,1796076916019245);
INSERT INTO "rota_runs" VALUES(7,2,2,1796076916000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'1',NULL,NULL,1796076916000922,1796076916007776,1796076916019245);
INSERT INTO "rota_runs" VALUES(8,1,1,NULL,'default/default/default','default/default/default/nightly@manual-df39e2f34a264d4fa7acb64816d7f046','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916064250,1796076916134439,1796076916159883);
INSERT INTO "rota_runs" VALUES(9,1,1,NULL,'default/default/default','default/default/default/nightly@manual-a68dbd60c5a245e1a30d12b2fb7d34a3','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916189513,1796076916237583,1796076916261724);
INSERT INTO "rota_runs" VALUES(10,1,1,NULL,'default/default/default','default/default/default/nightly@manual-f48e855a496d4bf2970bcdfe9db3b14d','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916264870,1796076916267360,1796076916279585);
INSERT INTO "rota_runs" VALUES(11,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c3976492d63c4ee29b9844cf63bdefac','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916292931,1796076916339555,1796076916347498);
INSERT INTO "rota_runs" VALUES(12,1,1,NULL,'default/default/default','default/default/default/nightly@manual-7fd99890f6294e1d8b39adc87f442dda','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916353324,1796076916439821,1796076916446232);
INSERT INTO "rota_runs" VALUES(13,1,1,NULL,'default/default/default','default/default/default/nightly@manual-624e43bf4af842708c890cd09b1bf885','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916454836,1796076916540031,1796076916546888);
INSERT INTO "rota_runs" VALUES(14,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c6f42f7737ac47c797004734eb6da1fb','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916556420,1796076916641279,1796076916647754);
INSERT INTO "rota_runs" VALUES(15,1,1,NULL,'default/default/default','default/default/default/nightly@manual-58216c40f32342b481d3b285c6dfc418','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916658652,1796076916741322,1796076916747786);
INSERT INTO "rota_runs" VALUES(16,1,1,NULL,'default/default/default','default/default/default/nightly@manual-122cd2fff7884fb2afe1e3e5a4e15c1e','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916760088,1796076916844782,1796076916865395);
INSERT INTO "rota_runs" VALUES(17,1,1,NULL,'default/default/default','default/default/default/nightly@manual-68bb0baec43741a7ac13dbaede564e87','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076916930278,1796076916951066,1796076916973440);
INSERT INTO "rota_runs" VALUES(18,2,2,1796076917000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'2',NULL,NULL,1796076917001445,1796076917019785,1796076917038502);
INSERT INTO "rota_runs" VALUES(19,1,1,NULL,'default/default/default','default/default/default/nightly@manual-99d99724cbaf4d9186f1a4c0713a8b03','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917005919,1796076917019785,1796076917038502);
INSERT INTO "rota_runs" VALUES(20,1,1,NULL,'default/default/default','default/default/default/nightly@manual-fffececd85e84e0cb35e010764ea9b81','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917044837,1796076917050893,1796076917062663);
INSERT INTO "rota_runs" VALUES(21,1,1,NULL,'default/default/default','default/default/default/nightly@manual-26eb0f9bfb944dff94e1fdd7eaef900d','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917075395,1796076917149835,1796076917170798);
INSERT INTO "rota_runs" VALUES(22,1,1,NULL,'default/default/default','default/default/default/nightly@manual-60fd58ea5f154957a68083f6111e2b8f','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917179304,1796076917246341,1796076917253593);
INSERT INTO "rota_runs" VALUES(23,1,1,NULL,'default/default/default','default/default/default/nightly@manual-9277603184564c70b46398b766f18159','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917287286,1796076917346912,1796076917356095);
INSERT INTO "rota_runs" VALUES(24,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c02f7f807f6b4701919fc2f7c9c25a21','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917392613,1796076917447244,1796076917455272);
INSERT INTO "rota_runs" VALUES(25,1,1,NULL,'default/default/default','default/default/default/nightly@manual-7f02d404108446379bd9f9fa50ccd13a','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917498070,1796076917547487,1796076917557268);
INSERT INTO "rota_runs" VALUES(26,1,1,NULL,'default/default/default','default/default/default/nightly@manual-4cf4580d789b4e7e8479493db0c80aaa','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917565245,1796076917647852,1796076917654816);
INSERT INTO "rota_runs" VALUES(27,1,1,NULL,'default/default/default','default/default/default/nightly@manual-adba5ee17cb54b93848df5047dded5cf','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917667733,1796076917747851,1796076917754768);
INSERT INTO "rota_runs" VALUES(28,1,1,NULL,'default/default/default','default/default/default/nightly@manual-41f43e8a24dd41e6b8fe5db24ddf5b9c','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917772530,1796076917848236,1796076917862362);
INSERT INTO "rota_runs" VALUES(29,1,1,NULL,'default/default/default','default/default/default/nightly@manual-9a7557518a344358b6f759ff182cfee2','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917874638,1796076917949537,1796076917957664);
INSERT INTO "rota_runs" VALUES(30,1,1,NULL,'default/default/default','default/default/default/nightly@manual-9b6e2f34db3c441ba504480f9081f4a8','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076917978412,1796076918006746,1796076918013194);
INSERT INTO "rota_runs" VALUES(31,2,2,1796076918000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'3',NULL,NULL,1796076918001371,1796076918006746,1796076918013194);
INSERT INTO "rota_runs" VALUES(32,1,1,NULL,'default/default/default','default/default/default/nightly@manual-14a747463aba4321a157187662de91a2','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918042838,1796076918048658,1796076918055072);
INSERT INTO "rota_runs" VALUES(33,1,1,NULL,'default/default/default','default/default/default/nightly@manual-0997305706d34db68f975292ab914362','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918069911,1796076918149423,1796076918155920);
INSERT INTO "rota_runs" VALUES(34,1,1,NULL,'default/default/default','default/default/default/nightly@manual-95e23c31dc754c0baedf8275dec4d027','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918172264,1796076918249677,1796076918259901);
INSERT INTO "rota_runs" VALUES(35,1,1,NULL,'default/default/default','default/default/default/nightly@manual-10ed7b926abe4a29b5d45a84138238e8','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918281591,1796076918355568,1796076918367999);
INSERT INTO "rota_runs" VALUES(36,1,1,NULL,'default/default/default','default/default/default/nightly@manual-62ef488cc39941d6b708293abc5a0fed','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918393716,1796076918456020,1796076918474331);
INSERT INTO "rota_runs" VALUES(37,1,1,NULL,'default/default/default','default/default/default/nightly@manual-568c22df6b5a4b669c48d0e2d79a5aaf','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918499850,1796076918559988,1796076918584052);
INSERT INTO "rota_runs" VALUES(38,1,1,NULL,'default/default/default','default/default/default/nightly@manual-de32c96335984e75bf46def97f4faa48','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918612401,1796076918660805,1796076918679864);
INSERT INTO "rota_runs" VALUES(39,1,1,NULL,'default/default/default','default/default/default/nightly@manual-c33db7bfed0248a28a7009344482ffa9','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918731320,1796076918760301,1796076918773353);
INSERT INTO "rota_runs" VALUES(40,1,1,NULL,'default/default/default','default/default/default/nightly@manual-06fc1695ad4f41b4848f7b7ffdcd8002','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918801911,1796076918869833,1796076918887455);
INSERT INTO "rota_runs" VALUES(41,1,1,NULL,'default/default/default','default/default/default/nightly@manual-466fd3538a7a4553941954242ad3f395','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076918918469,1796076918981385,1796076919009070);
INSERT INTO "rota_runs" VALUES(42,1,1,NULL,'default/default/default','default/default/default/nightly@manual-65c86d34c28348ca87d86a082571a3e5','succeeded',NULL,'manual','default',0,'s:1',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'"done"',NULL,NULL,1796076919041446,1796076919099939,1796076919140033);
INSERT INTO "rota_runs" VALUES(43,2,2,1796076919000000,NULL,NULL,'succeeded',NULL,'schedule','default',0,'s:2',0,1,NULL,NULL,NULL,1,0,1,'c458436ffe1d488ea643366eb82b0679',NULL,NULL,NULL,NULL,NULL,'4',NULL,NULL,1796076919079716,1796076919099939,1796076919140033);
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
INSERT INTO "rota_schedules" VALUES(1,'default','default','default','nightly',NULL,'{}',NULL,'app','code:tests.migration.dump:rota','{"job":"nightly","when":"every day at 03:15","args":{},"timezone":"Europe/Stockholm"}',1796076915204875,1796076919155047,NULL);
INSERT INTO "rota_schedules" VALUES(2,'default','default','default','tick',NULL,'{}',NULL,'app','code:tests.migration.dump:rota','{"job":"tick","when":"every second","args":{}}',1796076915226843,1796076919199499,NULL);
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

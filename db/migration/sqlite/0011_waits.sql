-- Ticks that wait for other schedules. The table is built anew, because SQLite cannot change a CHECK.
CREATE TABLE ticks_new (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id    INTEGER NOT NULL REFERENCES schedules (id),
    moment         INTEGER NOT NULL,
    until          INTEGER NOT NULL, -- last moment of a range row
    count          INTEGER NOT NULL CHECK (count >= 1),
    cron           TEXT    NOT NULL, -- the trigger, as lists name it
    decision       TEXT    NOT NULL CHECK (
        decision IN ('fired', 'queued', 'skipped', 'merged', 'missed', 'waiting')),
    rule           TEXT    NOT NULL,
    detail         TEXT    NOT NULL,
    batch_id       INTEGER NOT NULL, -- 0 for none
    revision_id    INTEGER NOT NULL,
    decided_at     INTEGER NOT NULL,
    missing        TEXT    NOT NULL DEFAULT '', -- of a waiting tick: what it waits for, as JSON
    missing_more   INTEGER NOT NULL DEFAULT 0,  -- how many are missing beside these
    released_by    TEXT    NOT NULL DEFAULT '', -- who ended the wait; '' for nobody
    release_reason TEXT    NOT NULL DEFAULT '',
    released_at    INTEGER NOT NULL DEFAULT 0,
    UNIQUE (schedule_id, moment)
);
INSERT INTO ticks_new (id, schedule_id, moment, until, count, cron, decision, rule, detail, batch_id, revision_id, decided_at)
SELECT id, schedule_id, moment, until, count, cron, decision, rule, detail, batch_id, revision_id, decided_at FROM ticks;
DROP TABLE ticks;
ALTER TABLE ticks_new RENAME TO ticks;
CREATE INDEX ticks_waiting ON ticks (schedule_id, moment) WHERE decision = 'waiting';
-- Which batches let a batch of another schedule start.
CREATE TABLE batch_causes (
    batch_id INTEGER NOT NULL,
    cause_id INTEGER NOT NULL,
    PRIMARY KEY (batch_id, cause_id)
) WITHOUT ROWID;
CREATE INDEX batch_causes_cause ON batch_causes (cause_id);

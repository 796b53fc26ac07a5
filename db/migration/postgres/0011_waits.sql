-- Ticks that wait for other schedules.
ALTER TABLE ticks DROP CONSTRAINT ticks_decision_check;
ALTER TABLE ticks ADD CONSTRAINT ticks_decision_check CHECK (
    decision IN ('fired', 'queued', 'skipped', 'merged', 'missed', 'waiting'));
-- Of a waiting tick: what it waits for, as JSON; how many are missing beside these; and who ended the wait, '' for nobody.
ALTER TABLE ticks ADD COLUMN missing TEXT NOT NULL DEFAULT '';
ALTER TABLE ticks ADD COLUMN missing_more INTEGER NOT NULL DEFAULT 0;
ALTER TABLE ticks ADD COLUMN released_by TEXT NOT NULL DEFAULT '';
ALTER TABLE ticks ADD COLUMN release_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE ticks ADD COLUMN released_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX ticks_waiting ON ticks (schedule_id, moment) WHERE decision = 'waiting';
-- Which batches let a batch of another schedule start.
CREATE TABLE batch_causes (
    batch_id BIGINT NOT NULL,
    cause_id BIGINT NOT NULL,
    PRIMARY KEY (batch_id, cause_id)
);
CREATE INDEX batch_causes_cause ON batch_causes (cause_id);

-- Repairs of a batch with the batches of other schedules that followed it.
CREATE TABLE chain_repairs (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id    INTEGER NOT NULL REFERENCES batches (id), -- the first one
    state       TEXT NOT NULL CHECK (state IN ('running', 'stopped', 'done', 'canceled')),
    note        TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT NOT NULL,
    changed_at  INTEGER NOT NULL,
    changed_by  TEXT NOT NULL,
    finished_at INTEGER NOT NULL,
    stopped_by  INTEGER NOT NULL, -- the batch whose failure stopped it; 0 for none
    key         TEXT UNIQUE     -- idempotency key; NULL for none
);
CREATE INDEX chain_repairs_live ON chain_repairs (id) WHERE state NOT IN ('done', 'canceled');

-- The batches of a chain repair, each after those that it needs.
CREATE TABLE chain_repair_steps (
    repair_id  INTEGER NOT NULL REFERENCES chain_repairs (id),
    position   INTEGER NOT NULL,
    batch_id   INTEGER NOT NULL REFERENCES batches (id),
    round      INTEGER NOT NULL, -- of the batch when a person saw it
    fate       TEXT NOT NULL CHECK (fate IN ('rerun', 'live', 'disabled')),
    act        TEXT NOT NULL CHECK (act IN ('waiting', 'sent', 'left_out', 'superseded')),
    needs      TEXT NOT NULL,    -- positions of the steps that must have succeeded before, as JSON
    tasks      INTEGER NOT NULL, -- of the batch
    command_id INTEGER NOT NULL, -- of the repair; 0 for none
    open       BOOLEAN NOT NULL, -- it may run the batch again
    PRIMARY KEY (repair_id, position)
);
-- Two chain repairs under way never have the same batch.
CREATE UNIQUE INDEX chain_repair_steps_open ON chain_repair_steps (batch_id) WHERE open;
CREATE INDEX chain_repair_steps_batch ON chain_repair_steps (batch_id, repair_id);

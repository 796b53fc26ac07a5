-- The route of the executors of a group, as a person has set it.
CREATE TABLE executor_groups (
    name   TEXT    NOT NULL PRIMARY KEY,
    route  TEXT    NOT NULL,
    reason TEXT    NOT NULL,
    set_at INTEGER NOT NULL,
    set_by TEXT    NOT NULL
);
-- How the executor of an attempt was chosen, as JSON; '' for none.
ALTER TABLE attempts ADD COLUMN scheduling TEXT NOT NULL DEFAULT '';
-- How many offers of this round executors have rejected.
ALTER TABLE runs ADD COLUMN rejects INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run_history ADD COLUMN rejects INTEGER NOT NULL DEFAULT 0;

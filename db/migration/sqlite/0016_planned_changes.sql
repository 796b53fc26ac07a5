-- Changes of single moments to come, made by people. They stay when their moment has its tick.
CREATE TABLE planned_changes (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    moment      INTEGER NOT NULL,
    action      TEXT    NOT NULL CHECK (action IN ('skip', 'move', 'hold', 'params')),
    move_to     INTEGER NOT NULL, -- 0 unless the action is move
    params      TEXT    NOT NULL,
    created_by  TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    UNIQUE (schedule_id, moment)
);
ALTER TABLE ticks ADD COLUMN release_skips BOOLEAN NOT NULL DEFAULT FALSE; -- who ended the wait wants no batch

CREATE TABLE webhook_secrets (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    webhook     TEXT    NOT NULL,
    hash        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    expires_at  INTEGER NOT NULL -- 0: never
);
CREATE INDEX webhook_secrets_schedule ON webhook_secrets (schedule_id, webhook);
CREATE TABLE webhook_calls (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    webhook     TEXT    NOT NULL,
    key         TEXT    NOT NULL, -- of the caller; empty: none
    moment      INTEGER NOT NULL,
    params      TEXT    NOT NULL,
    pending     BOOLEAN NOT NULL, -- it has no tick yet
    UNIQUE (schedule_id, moment)
);
CREATE UNIQUE INDEX webhook_calls_key ON webhook_calls (schedule_id, webhook, key) WHERE key <> '';
CREATE INDEX webhook_calls_pending ON webhook_calls (schedule_id, moment) WHERE pending;

-- The secrets of tasks. The value is sealed, see db/secret.go.
CREATE TABLE secrets (
    name       TEXT   NOT NULL PRIMARY KEY,
    value      TEXT   NOT NULL CHECK (value LIKE 'aes1:%'),
    groups     TEXT   NOT NULL, -- JSON list: the groups of executors that may have it
    created_at INTEGER NOT NULL,
    created_by TEXT   NOT NULL,
    updated_at INTEGER NOT NULL,
    updated_by TEXT   NOT NULL
);

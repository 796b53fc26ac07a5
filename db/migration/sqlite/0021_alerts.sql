-- The rules and channels of alerts.
CREATE TABLE alert_documents (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    kind       TEXT    NOT NULL CHECK (kind IN ('Alert', 'Channel')),
    name       TEXT    NOT NULL,
    revision   INTEGER NOT NULL, -- number of the newest one
    deleted    BOOLEAN NOT NULL, -- the revisions stay; the next save makes it exist again
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    UNIQUE (kind, name)
);
CREATE TABLE alert_revisions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    document_id INTEGER NOT NULL REFERENCES alert_documents (id),
    number      INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    hash        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    note        TEXT    NOT NULL,
    UNIQUE (document_id, number)
);
-- The secrets of channels, encrypted.
CREATE TABLE channel_secrets (
    document_id INTEGER NOT NULL REFERENCES alert_documents (id),
    name        TEXT    NOT NULL,
    secret      TEXT    NOT NULL,
    set_at      INTEGER NOT NULL,
    set_by      TEXT    NOT NULL,
    PRIMARY KEY (document_id, name)
);

-- Transitions that an alert may tell of. The commit of the transition stores them, and the watcher takes them out.
CREATE TABLE alert_facts (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    kind     TEXT    NOT NULL,
    batch_id INTEGER NOT NULL,
    round    INTEGER NOT NULL,
    run_id   INTEGER NOT NULL, -- of a task that is held; 0 for none
    task     TEXT    NOT NULL,
    detail   TEXT    NOT NULL,
    at       INTEGER NOT NULL
);
CREATE INDEX alert_facts_batch ON alert_facts (batch_id);

CREATE TABLE alert_events (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    key         TEXT    NOT NULL UNIQUE, -- two servers that see the same make the same key
    kind        TEXT    NOT NULL,
    problem     TEXT    NOT NULL,        -- '' if the event does not last
    open        BOOLEAN NOT NULL,        -- the problem lasts
    schedule_id INTEGER NOT NULL,        -- 0 for none
    batch_id    INTEGER NOT NULL,        -- 0 for none
    at          INTEGER NOT NULL,
    stored_at   INTEGER NOT NULL,
    over_at     INTEGER NOT NULL,
    taken_by    TEXT    NOT NULL DEFAULT '', -- who is on it; '' for nobody
    taken_at    INTEGER NOT NULL DEFAULT 0,
    taken_note  TEXT    NOT NULL DEFAULT '',
    facets      TEXT    NOT NULL
);
-- A problem is told once until it is over.
CREATE UNIQUE INDEX alert_events_open ON alert_events (problem) WHERE open;
CREATE INDEX alert_events_schedule ON alert_events (schedule_id, id);
CREATE INDEX alert_events_batch ON alert_events (batch_id, id);

-- One row for each event, rule and channel.
CREATE TABLE alert_deliveries (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    event_id     INTEGER NOT NULL REFERENCES alert_events (id),
    rule         TEXT    NOT NULL,
    channel      TEXT    NOT NULL,
    subject      TEXT    NOT NULL,
    state        TEXT    NOT NULL CHECK (state IN ('pending', 'sent', 'failed', 'suppressed', 'canceled')),
    due_at       INTEGER NOT NULL,
    tries        INTEGER NOT NULL,
    error        TEXT    NOT NULL,
    leased_by    TEXT    NOT NULL,
    leased_until INTEGER NOT NULL, -- by the database's clock
    created_at   INTEGER NOT NULL,
    done_at      INTEGER NOT NULL,
    escalation   BOOLEAN NOT NULL DEFAULT false -- only sent if the problem is open then, and nobody has taken it
);
CREATE INDEX alert_deliveries_event ON alert_deliveries (event_id);
CREATE INDEX alert_deliveries_pending ON alert_deliveries (due_at) WHERE state = 'pending';
CREATE INDEX alert_deliveries_subject ON alert_deliveries (subject, created_at);
CREATE INDEX alert_deliveries_failed ON alert_deliveries (done_at) WHERE state = 'failed';
CREATE INDEX alert_deliveries_channel ON alert_deliveries (channel, done_at);

-- The log of the tries to send.
CREATE TABLE alert_tries (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    delivery_id INTEGER NOT NULL REFERENCES alert_deliveries (id),
    message     TEXT    NOT NULL, -- the same for all deliveries that were sent together
    server      TEXT    NOT NULL,
    at          INTEGER NOT NULL,
    took        INTEGER NOT NULL, -- milliseconds
    done        BOOLEAN NOT NULL,
    detail      TEXT    NOT NULL
);
CREATE INDEX alert_tries_delivery ON alert_tries (delivery_id, id);

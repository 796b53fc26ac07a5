-- HiveGo's schema for SQLite. Times are integers: UTC milliseconds, 0 for "not yet"; documents, maps and lists are
-- TEXT (YAML or JSON), '' for none. Ids of runs and attempts are handed out by the counters.
-- The tables runs, run_history and attempts carry no foreign keys: they are written in bulk by the one owner of
-- their batch, and pruned by batch.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE counters (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('run', 0), ('attempt', 0), ('batch', 0), ('epoch', 0);

CREATE TABLE servers (
    id          TEXT PRIMARY KEY,
    epoch       INTEGER NOT NULL,
    address     TEXT    NOT NULL,
    version     TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    lease_until INTEGER NOT NULL, -- by the database's clock
    taken       BOOLEAN NOT NULL   -- its batches were given to another session
) WITHOUT ROWID;

CREATE TABLE schedules (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT    NOT NULL UNIQUE,
    enabled    BOOLEAN NOT NULL,
    revision   INTEGER NOT NULL, -- number of the newest one
    mark       INTEGER NOT NULL, -- ticks up to and including this moment are decided
    counted    INTEGER NOT NULL, -- scheduled and dependent batches so far; outlives pruning
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
);

CREATE TABLE revisions (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER REFERENCES schedules (id), -- NULL for the definition of an adhoc batch
    number      INTEGER NOT NULL,
    document    TEXT    NOT NULL,
    hash        TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    UNIQUE (schedule_id, number)
);
CREATE UNIQUE INDEX revisions_adhoc ON revisions (hash) WHERE schedule_id IS NULL;

CREATE TABLE batches (
    id          INTEGER PRIMARY KEY,
    schedule_id INTEGER REFERENCES schedules (id), -- NULL for adhoc
    revision_id INTEGER NOT NULL REFERENCES revisions (id),
    revision    INTEGER NOT NULL,
    kind        TEXT    NOT NULL CHECK (kind IN ('scheduled', 'manual', 'backfill', 'dependent', 'adhoc')),
    state       TEXT    NOT NULL CHECK (state IN ('queued', 'running', 'succeeded', 'failed', 'canceled')),
    wish        TEXT    NOT NULL CHECK (wish IN ('run', 'pause', 'cancel')),
    reason      TEXT    NOT NULL,
    round       INTEGER NOT NULL CHECK (round >= 1),
    moment      INTEGER NOT NULL,
    params      TEXT    NOT NULL,
    created_at  INTEGER NOT NULL,
    created_by  TEXT    NOT NULL,
    started_at  INTEGER NOT NULL,
    round_at    INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    paused_at   INTEGER NOT NULL,
    paused_for  INTEGER NOT NULL, -- milliseconds
    job_clocks  TEXT    NOT NULL, -- job key -> since when its timeout counts
    owner       TEXT    NOT NULL,
    live        BOOLEAN NOT NULL,
    closed_note TEXT    NOT NULL,
    key         TEXT    UNIQUE, -- idempotency key of whoever asked for it; NULL for none
    CHECK (live = (state IN ('queued', 'running')))
);
CREATE INDEX batches_schedule ON batches (schedule_id, id);
-- The only index that knows of states: what is live is found by it, at a start and at a takeover.
CREATE INDEX batches_live ON batches (id) WHERE live;

CREATE TABLE ticks (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id INTEGER NOT NULL REFERENCES schedules (id),
    moment      INTEGER NOT NULL,
    until       INTEGER NOT NULL, -- last moment of a range row
    count       INTEGER NOT NULL CHECK (count >= 1),
    cron        TEXT    NOT NULL,
    decision    TEXT    NOT NULL CHECK (decision IN ('fired', 'queued', 'skipped', 'merged', 'missed')),
    rule        TEXT    NOT NULL,
    detail      TEXT    NOT NULL,
    batch_id    INTEGER NOT NULL, -- 0 for none
    revision_id INTEGER NOT NULL,
    decided_at  INTEGER NOT NULL,
    UNIQUE (schedule_id, moment)
);

-- In the tables of the lean writer CASE stands for IN: that builds a temporary index for each row written.
CREATE TABLE runs (
    id          INTEGER PRIMARY KEY,
    batch_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL CHECK (number >= 0),
    job         TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    shard       INTEGER NOT NULL,
    state       TEXT    NOT NULL CHECK (
        CASE state WHEN 'waiting' THEN 1 WHEN 'ready' THEN 1 WHEN 'running' THEN 1 WHEN 'succeeded' THEN 1
            WHEN 'failed' THEN 1 WHEN 'canceled' THEN 1 WHEN 'unknown' THEN 1 WHEN 'skipped' THEN 1
            WHEN 'ignored' THEN 1 ELSE 0 END),
    reason      TEXT    NOT NULL,
    detail      TEXT    NOT NULL,
    cause       TEXT    NOT NULL,
    not_before  INTEGER NOT NULL,
    round       INTEGER NOT NULL CHECK (round >= 1),
    attempt     INTEGER NOT NULL, -- in hand; 0 for none
    attempts    INTEGER NOT NULL CHECK (attempts >= 0),
    failures    INTEGER NOT NULL CHECK (failures >= 0),
    losses      INTEGER NOT NULL CHECK (losses >= 0),
    started_at  INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    exit_code   INTEGER,
    outputs     TEXT    NOT NULL,
    changed_at  INTEGER NOT NULL,
    UNIQUE (batch_id, number)
);

-- Copies of runs as they were when a repair plan opened the next round.
CREATE TABLE run_history (
    seq         INTEGER PRIMARY KEY AUTOINCREMENT,
    id          INTEGER NOT NULL, -- of the run
    batch_id    INTEGER NOT NULL,
    number      INTEGER NOT NULL,
    job         TEXT    NOT NULL,
    task        TEXT    NOT NULL,
    shard       INTEGER NOT NULL,
    state       TEXT    NOT NULL,
    reason      TEXT    NOT NULL,
    detail      TEXT    NOT NULL,
    cause       TEXT    NOT NULL,
    not_before  INTEGER NOT NULL,
    round       INTEGER NOT NULL,
    attempt     INTEGER NOT NULL,
    attempts    INTEGER NOT NULL,
    failures    INTEGER NOT NULL,
    losses      INTEGER NOT NULL,
    started_at  INTEGER NOT NULL,
    finished_at INTEGER NOT NULL,
    exit_code   INTEGER,
    outputs     TEXT    NOT NULL,
    changed_at  INTEGER NOT NULL
);
CREATE INDEX run_history_batch ON run_history (batch_id);

CREATE TABLE attempts (
    id            INTEGER PRIMARY KEY,
    batch_id      INTEGER NOT NULL,
    run_id        INTEGER NOT NULL,
    number        INTEGER NOT NULL CHECK (number >= 1),
    round         INTEGER NOT NULL CHECK (round >= 1),
    executor      TEXT    NOT NULL,
    executor_name TEXT    NOT NULL,
    state         TEXT    NOT NULL CHECK (
        CASE state WHEN 'offered' THEN 1 WHEN 'running' THEN 1 WHEN 'ended' THEN 1 ELSE 0 END),
    outcome       TEXT    NOT NULL CHECK (
        CASE outcome WHEN '' THEN 1 WHEN 'success' THEN 1 WHEN 'failure' THEN 1 WHEN 'timeout' THEN 1
            WHEN 'killed' THEN 1 WHEN 'refused' THEN 1 WHEN 'lost' THEN 1 WHEN 'returned' THEN 1 ELSE 0 END),
    exit_code     INTEGER,
    error         TEXT    NOT NULL,
    outputs       TEXT    NOT NULL,
    killing_at    INTEGER NOT NULL,
    kill_reason   TEXT    NOT NULL,
    offered_at    INTEGER NOT NULL,
    started_at    INTEGER NOT NULL,
    finished_at   INTEGER NOT NULL,
    log_bytes     INTEGER NOT NULL,
    notes         TEXT    NOT NULL,
    CHECK ((state = 'ended') = (outcome <> ''))
);
CREATE INDEX attempts_batch ON attempts (batch_id);

CREATE TABLE commands (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    batch_id   INTEGER NOT NULL REFERENCES batches (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('wish', 'repair')),
    key        TEXT    NOT NULL UNIQUE,
    payload    TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('pending', 'applied', 'refused')),
    answer     TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    created_by TEXT    NOT NULL,
    done_at    INTEGER NOT NULL
);
CREATE INDEX commands_pending ON commands (batch_id) WHERE state = 'pending';

CREATE TABLE executors (
    id         TEXT PRIMARY KEY,
    name       TEXT    NOT NULL UNIQUE,
    grp        TEXT    NOT NULL, -- its group
    labels     TEXT    NOT NULL,
    address    TEXT    NOT NULL,
    tls        BOOLEAN NOT NULL,
    secret     TEXT    NOT NULL,
    slots      INTEGER NOT NULL,
    handlers   TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    boot_id    TEXT    NOT NULL,
    durable    BOOLEAN NOT NULL,
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL
) WITHOUT ROWID;

-- Executors that a person took off line, by name: it outlives a reinstalled executor with a new id.
CREATE TABLE executors_offline (
    name TEXT PRIMARY KEY
) WITHOUT ROWID;

CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT    NOT NULL UNIQUE,
    admin         BOOLEAN NOT NULL,
    password_hash TEXT    NOT NULL,
    created_at    INTEGER NOT NULL
);

CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id    INTEGER REFERENCES users (id), -- NULL for an executor token
    grp        TEXT    NOT NULL,
    hash       TEXT    NOT NULL UNIQUE,
    name       TEXT    NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL, -- 0: never
    used_at    INTEGER NOT NULL
);
CREATE INDEX tokens_user ON tokens (user_id);

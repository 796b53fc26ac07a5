-- Batches whose rows of batches are gone, and whose runs, history, attempts and logs are still to be deleted.
CREATE TABLE prunings (
    batch_id BIGINT PRIMARY KEY
);
-- Which server prunes, and until when by the database's clock. The only row has the id 1.
CREATE TABLE prune_lease (
    id     INTEGER PRIMARY KEY,
    server TEXT    NOT NULL,
    until  BIGINT NOT NULL
);

-- The batches that were pruned, by the day of their end in UTC, counted from 1970.
CREATE TABLE daily_counts (
    schedule_id BIGINT NOT NULL, -- 0 for adhoc
    day         BIGINT NOT NULL,
    state       TEXT    NOT NULL,
    batches     BIGINT NOT NULL,
    took        BIGINT NOT NULL, -- milliseconds of their last rounds
    PRIMARY KEY (schedule_id, day, state)
);
CREATE INDEX daily_counts_day ON daily_counts (day);

-- The durations of pruned batches that count for the usual duration, newest first.
CREATE TABLE usual_durations (
    schedule_id BIGINT PRIMARY KEY,
    took        TEXT    NOT NULL -- milliseconds, a JSON list
);

-- The logs of the batches of a schedule that ended up to this time are deleted.
CREATE TABLE log_marks (
    schedule_id BIGINT PRIMARY KEY, -- 0 for adhoc
    until       BIGINT NOT NULL
);

-- The size of the database and of the logs of each server, by day in UTC, counted from 1970.
CREATE TABLE disk_uses (
    day      BIGINT NOT NULL,
    server   TEXT    NOT NULL,
    at       BIGINT NOT NULL,
    database_bytes BIGINT NOT NULL,
    log_bytes      BIGINT NOT NULL,
    PRIMARY KEY (day, server)
);

-- Deleting a batch looks for what refers to it.
CREATE INDEX chain_repairs_batch ON chain_repairs (batch_id);
CREATE INDEX backfill_moments_batch ON backfill_moments (batch_id) WHERE batch_id > 0;

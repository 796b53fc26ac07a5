-- What a shard works on, as JSON: the run of a sharded task has the number of its shards. Empty for all other runs.
ALTER TABLE runs ADD COLUMN part TEXT NOT NULL DEFAULT '';
ALTER TABLE run_history ADD COLUMN part TEXT NOT NULL DEFAULT '';

-- The random key of an attempt, which identifies it together with its id: a database that goes back to an earlier state hands
-- out ids again. Attempts from before have none.
ALTER TABLE attempts ADD COLUMN key TEXT NOT NULL DEFAULT '';

-- Executors that a person added by their address, beside those that register themselves; and those that a person drains.
ALTER TABLE executors ADD COLUMN origin TEXT NOT NULL DEFAULT 'registered' CHECK (origin IN ('registered', 'address'));
-- A person has said how many attempts it gets at once; else it says so itself.
ALTER TABLE executors ADD COLUMN slots_by_hand BOOLEAN NOT NULL DEFAULT FALSE;
-- It gets nothing new while it has the boot id that it had when somebody drained it.
ALTER TABLE executors ADD COLUMN drained BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE executors ADD COLUMN drained_boot TEXT NOT NULL DEFAULT '';

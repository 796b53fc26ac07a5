-- The reasons of texts, as JSON with their params, so that they can be shown in any language; '' for a text without one. Texts
-- from before have none.
ALTER TABLE runs ADD COLUMN detail_reason TEXT NOT NULL DEFAULT '';
ALTER TABLE run_history ADD COLUMN detail_reason TEXT NOT NULL DEFAULT '';
-- Of the error and of the notes.
ALTER TABLE attempts ADD COLUMN reasons TEXT NOT NULL DEFAULT '';

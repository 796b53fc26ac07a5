-- How many runs of an ended batch are in which state, as a JSON object; '' while it is live, and of batches that ended
-- before this step: those are counted when they are shown.
ALTER TABLE batches ADD COLUMN counts TEXT NOT NULL DEFAULT '';
-- What ended in the last days and how, without reading a batch. The commit that ends a batch leaves the index batches_live
-- anyway, so this costs it one entry more and no update that stayed on its page before.
CREATE INDEX batches_ended ON batches (finished_at, state) WHERE finished_at > 0 AND kind <> 'adhoc';
CREATE INDEX batches_created ON batches (created_at);

-- Lists of batches by when they started, by logical time, by person, by given parameters and by executor.
CREATE INDEX batches_begun ON batches ((CASE WHEN started_at > 0 THEN started_at ELSE created_at END));
CREATE INDEX batches_logical ON batches (moment);
CREATE INDEX batches_person ON batches (created_by, id) WHERE created_by <> '';
CREATE INDEX batches_params ON batches (id) WHERE params <> '';
CREATE INDEX attempts_executor ON attempts (executor_name, batch_id);

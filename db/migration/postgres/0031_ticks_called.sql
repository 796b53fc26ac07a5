-- Lists of the batches that webhooks started: few among many.
CREATE INDEX ticks_called ON ticks (batch_id) WHERE cron LIKE 'webhook %' AND batch_id > 0;

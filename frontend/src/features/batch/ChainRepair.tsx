import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { memo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { keys } from '@/api/queries';
import { type Batch, usePollInterval } from '@/live';
import { Dialog, ErrorNote, Glyph, NeedsServer, type ShownState, useExact } from '@/ui';
import { Strip } from './Notice';
import styles from './Notice.module.css';

type Repair = Schemas['ChainRepair'];
type Step = Schemas['ChainStep'];

/** Milliseconds between two requests while a chain repair is under way. */
const POLL = 2_000;

const isOver = ({ state }: Repair) => state === 'done' || state === 'canceled';

/** The latest chain repair that has the batch. A new round of the batch may belong to a new one. */
function useChainRepair({ id, round, schedule }: Batch) {
  const poll = usePollInterval(POLL);
  return useQuery({
    queryKey: [...keys.batch(id), 'chain-repair', round],
    queryFn: () => data(api.GET('/api/v1/chain-repairs', { params: { query: { batch: id, limit: 1 } } })),
    enabled: schedule !== '',
    refetchInterval: ({ state }) => (state.data?.items[0] && !isOver(state.data.items[0]) ? poll : false),
  });
}

/**
 * The progress of the chain repair that runs the batch again. When it is over, only the page of its first batch shows
 * it.
 */
export const ChainRepair = memo(function ChainRepair({ batch }: { batch: Batch }) {
  const { t } = useTranslation('batch');
  const { data: latest } = useChainRepair(batch);
  const repair = latest?.items[0];
  if (!repair || (isOver(repair) && repair.batch !== batch.id)) return null;
  const { id, state, steps, stoppedBy, note, createdBy } = repair;
  const others = steps.slice(1);
  const done = others.filter((step) => step.progress === 'succeeded').length;
  return (
    <Strip tone={state === 'stopped' ? 'bad' : 'calm'} label={t('chainRepair.name', { id })}>
      <b>{t('chainRepair.name', { id })}</b>
      {repair.batch === batch.id ? (
        <span role="status">{t(`chainRepair.state.${state}`, { done, count: others.length })}</span>
      ) : (
        <span>
          {t('chainRepair.because')}{' '}
          <Link to="/batches/$id" params={{ id: repair.batch }} preload={false}>
            {t('chainRepair.batch', { id: repair.batch })}
          </Link>
        </span>
      )}
      <ol className={styles.chain} aria-label={t('chainRepair.steps')}>
        {steps.map((step) => (
          <li key={step.position}>
            <StepLink step={step} here={step.batch === batch.id} />
          </li>
        ))}
      </ol>
      <span>
        {createdBy}
        {note && <q className={styles.note}>{note}</q>}
      </span>
      {stoppedBy !== undefined && <span>{t('chainRepair.stopped', { id: stoppedBy })}</span>}
      {!isOver(repair) && <CancelButton id={id} batch={batch.id} />}
    </Strip>
  );
});

const GLYPHS = {
  waiting: 'waiting',
  running: 'running',
  succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'canceled',
  refused: 'failed',
  left_out: 'ignored',
  superseded: 'skipped',
} as const satisfies Record<NonNullable<Step['progress']>, ShownState>;

function StepLink({ step, here }: { step: Step; here: boolean }) {
  const { t } = useTranslation('batch');
  const exact = useExact();
  const progress = step.progress ?? 'waiting';
  const words = t(`chainRepair.progress.${progress}`);
  const text = (
    <>
      <Glyph state={GLYPHS[progress]} size={14} bare />
      {step.schedule}
    </>
  );
  const name = t('chainRepair.step', { schedule: step.schedule, id: step.batch, state: words });
  const title = `${exact(step.moment)} · ${step.problem?.detail ?? words}`;
  if (here)
    return (
      <b title={title} aria-label={name}>
        {text}
      </b>
    );
  return (
    <Link to="/batches/$id" params={{ id: step.batch ?? 0 }} preload={false} title={title} aria-label={name}>
      {text}
    </Link>
  );
}

/** Cancels the chain repair, after a question. */
function CancelButton({ id, batch }: { id: number; batch: number }) {
  const { t } = useTranslation('batch');
  const queries = useQueryClient();
  const [asks, setAsks] = useState(false);
  const cancel = useMutation({
    mutationFn: () =>
      data(api.PUT('/api/v1/chain-repairs/{id}/wish', { params: { path: { id } }, body: { wish: 'cancel' } })),
    onSettled: () => void queries.invalidateQueries({ queryKey: keys.batch(batch) }),
  });
  const close = () => {
    setAsks(false);
  };
  return (
    <>
      <NeedsServer>
        <Button
          size="compact-sm"
          loading={cancel.isPending}
          onClick={() => {
            setAsks(true);
          }}
        >
          {t('chainRepair.cancel')}
        </Button>
      </NeedsServer>
      {cancel.error && <ErrorNote error={cancel.error} />}
      {asks && (
        <Dialog
          opened
          onClose={close}
          title={t('chainRepair.cancelTitle', { id })}
          footer={
            <>
              <Button onClick={close}>{t('chainRepair.cancelNot')}</Button>
              <Button
                variant="filled"
                onClick={() => {
                  close();
                  cancel.mutate();
                }}
              >
                {t('chainRepair.cancelNow')}
              </Button>
            </>
          }
        >
          <p>{t('chainRepair.cancelHint')}</p>
        </Dialog>
      )}
    </>
  );
}

import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data } from '@/api/client';
import { useChangeText } from '@/features/planned';
import { Dialog, ErrorNote, exact } from '@/ui';
import type { Tick } from './ticks';
import styles from './Ticks.module.css';

type Missing = NonNullable<Tick['missing']>[number];

/** One thing that a tick waits for, in words. */
function useMissingText(zone: string) {
  const { t } = useTranslation('ticks');
  return ({ state, schedule, moment }: Missing) =>
    t(`missing.${state}`, { schedule, at: moment === undefined ? '' : exact(moment, { zone }) });
}

/** What a tick waits for: the first in words, how many others, and the way to the chain. */
export function WaitsFor({ schedule, tick, zone }: { schedule: string; tick: Tick; zone: string }) {
  const { t } = useTranslation('ticks');
  const text = useMissingText(zone);
  const [first, ...others] = tick.missing ?? [];
  const more = others.length + (tick.missingMore ?? 0);
  if (tick.rule === 'planned_hold' || tick.rule === 'planned_move') return t(`rule.${tick.rule}`);
  return (
    <>
      {first ? text(first) : tick.detail}
      {more > 0 && <small>{t('missing.more', { count: more })}</small>}
      <small>
        <Link to="/schedules/$name/chain" params={{ name: schedule }} search={{}}>
          {t('missing.chain')}
        </Link>
      </small>
    </>
  );
}

/** The summaries of the dialog for the rules by which a tick waits for a person or a time. */
const SUMMARY: Partial<Record<string, 'held' | 'moved'>> = { planned_hold: 'held', planned_move: 'moved' };

interface ReleaseProps {
  schedule: string;
  tick: Tick;
  zone: string;
  onClose: () => void;
  onReleased: () => void;
}

/** The dialog that lets a waiting tick go without what is missing. It asks for the reason. */
export function ReleaseDialog({ schedule, tick, zone, onClose, onReleased }: ReleaseProps) {
  const { t } = useTranslation('ticks');
  const text = useMissingText(zone);
  const change = useChangeText(zone);
  const [reason, setReason] = useState('');
  const release = useMutation({
    mutationFn: (skip: boolean) =>
      data(
        api.POST('/api/v1/schedules/{name}/ticks/release', {
          params: { path: { name: schedule } },
          body: { moment: tick.moment, reason: reason.trim(), skip: skip || undefined },
        }),
      ),
    onSuccess: () => {
      onReleased();
      onClose();
    },
  });
  const submit = () => {
    if (reason.trim() !== '' && !release.isPending) release.mutate(false);
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      focusInside
      title={t(SUMMARY[tick.rule] ? 'release.titleHeld' : 'release.title', { at: exact(tick.moment, { zone }) })}
      summary={t(`release.${SUMMARY[tick.rule] ?? 'summary'}`)}
      footer={
        <>
          <Button onClick={onClose}>{t('release.cancel')}</Button>
          <Button
            disabled={reason.trim() === '' || release.isPending}
            onClick={() => {
              release.mutate(true);
            }}
          >
            {t('release.skip')}
          </Button>
          <Button variant="filled" disabled={reason.trim() === ''} loading={release.isPending} onClick={submit}>
            {t('release.do')}
          </Button>
        </>
      }
    >
      <form
        className={styles.release}
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        {release.error && <ErrorNote error={release.error} />}
        {tick.plannedChange && <p>{change(tick.plannedChange)}</p>}
        {(tick.missing ?? []).length > 0 && (
          <section>
            <h3>{t('release.missing')}</h3>
            <ul>
              {(tick.missing ?? []).map((one) => (
                <li key={`${one.schedule} ${one.moment ?? ''}`}>
                  {text(one)}
                  {one.batch !== undefined && (
                    <Link to="/batches/$id" params={{ id: one.batch }} preload={false}>
                      {t('batch', { id: one.batch })}
                    </Link>
                  )}
                </li>
              ))}
              {(tick.missingMore ?? 0) > 0 && <li>{t('missing.more', { count: tick.missingMore })}</li>}
            </ul>
          </section>
        )}
        <TextInput
          data-autofocus
          label={t('release.reason')}
          value={reason}
          maxLength={500}
          onChange={(event) => {
            setReason(event.currentTarget.value);
          }}
        />
      </form>
    </Dialog>
  );
}

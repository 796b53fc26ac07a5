import { Button, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { batchQuery, definitionQuery, scheduleQuery } from '@/api/queries';
import type { Definition } from '@/api/definition';
import { isTransient } from '@/api/problem';
import { ErrorNote, exact, Dialog, useTaskNames, useTook } from '@/ui';
import { ActionButton } from './ActionButton';
import type { Command } from './calls';
import { KeptBox } from './KeptBox';
import { NoteField } from './NoteField';
import { Notices } from './Notices';
import { PlanRows } from './PlanRows';
import { RevisionChoice } from './RevisionChoice';
import { destroys, differing, type RepairPlan, type RepairRequest, summarise, whyNothing } from './plan';
import { usePlan } from './usePlan';
import { useSummary } from './useSummary';
import styles from './Repair.module.css';

interface Props {
  batch: number;
  request: RepairRequest;
  opened: boolean;
  onClose: () => void;
  onDone: (command: Command, plan: RepairPlan) => void;
}

/** What a repair would change, before anything does: its rows and why, what is kept, and the options that plan it anew. */
export function RepairDialog({ batch: id, request: first, opened, onClose, onDone }: Props) {
  const { t } = useTranslation('repair');
  const took = useTook();
  const planner = usePlan(id, first, onDone);
  const { phase, request } = planner;
  const { data: batch, error: unread, refetch } = useQuery({ ...batchQuery(id), refetchOnMount: 'always' });
  const { moved } = planner;
  useEffect(() => {
    if (moved) void refetch();
  }, [moved, refetch]); // so have the states of what is kept
  const { data: schedule, isFetchedAfterMount: asked } = useQuery({
    ...scheduleQuery(batch?.schedule ?? ''),
    enabled: !!batch?.schedule,
    staleTime: 0,
  }); // a revision may just have been saved
  const chooses = request.action !== 'cancel' && request.action !== 'close';
  const newest = chooses && schedule && batch && schedule.revision > batch.revision ? schedule : undefined;
  const { data: own, isLoading: comparing } = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: !!newest,
  });
  // Whether there is a later revision is known before a plan is shown: the choice does not come under a person's hand, or after it.
  const ready = !!batch && (!chooses || !batch.schedule || asked) && !comparing;
  const plan = ready ? planner.plan : undefined;
  const [note, setNote] = useState(first.note ?? '');
  const [missing, setMissing] = useState(false);
  const noteField = useRef<HTMLInputElement>(null);
  const summary = useSummary(plan, batch);

  const different = own && newest ? differing(own, newest.definition as unknown as Definition) : undefined;
  const closes = request.action === 'close';
  const nothing =
    plan && batch && !closes && plan.rows.length === 0 && phase === 'shown'
      ? whyNothing(request.action, batch, !!moved)
      : undefined;
  const refused = !planner.plan && phase === 'shown'; // there is no plan to look at
  const over = !!nothing || phase === 'stored' || (refused && !isTransient(planner.error));
  const settling = phase === 'sending' || phase === 'stored';
  const fixed = settling || phase === 'unsure';
  const nameOf = useTaskNames();
  const who =
    request.tasks?.length === 1
      ? nameOf(request.tasks[0] ?? '')
      : request.tasks?.length
        ? t('tasks', { count: request.tasks.length })
        : batch?.schedule || t('batch', { id });
  const moment = batch && exact(batch.moment, { zone: schedule ? schedule.timezone || 'UTC' : undefined });
  const go = () => {
    if (closes && note.trim() === '') {
      setMissing(true);
      noteField.current?.focus();
      return;
    }
    planner.apply(note);
  };

  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      busy={phase === 'planning' || (!ready && !unread)}
      title={
        <>
          {t(`title.${request.action}`, { name: who })}
          {moment && <span className={styles.moment}>{` · ${moment}`}</span>}
        </>
      }
      summary={closes ? t('close') : refused || phase === 'unsure' || phase === 'stored' ? undefined : summary}
      footer={
        <>
          {batch?.usualSeconds !== undefined && plan && summarise(plan, 0).run > 0 && !nothing && (
            <span className={styles.usual}>{t('usual', { time: took(batch.usualSeconds * 1000) })}</span>
          )}
          <Button onClick={onClose}>
            {over ? t('close_nothing') : t(request.action === 'cancel' ? 'keepRunning' : 'leave')}
          </Button>
          {(!over || phase === 'stored') && <ActionButton planner={planner} plan={plan} onGo={go} />}
        </>
      }
    >
      {unread && !batch ? <ErrorNote error={unread} /> : null}
      <Notices planner={planner} />
      {newest && batch && different && (
        <RevisionChoice
          own={batch.revision}
          latest={newest.revision}
          differ={plan?.rows.filter((row) => different.has(row.task)).length ?? 0}
          value={!!request.latest}
          disabled={fixed}
          onChange={(latest) => {
            planner.ask({ latest: latest || undefined, revision: undefined, rerunKept: undefined });
          }}
        />
      )}
      {schedule && !newest && request.action === 'resume' && plan?.rows.some((row) => row.why === 'failed') && (
        <p className="hg-quiet">{t('revision.mend', { command: 'hivego apply' })}</p>
      )}
      {request.action === 'rerun' && (
        <Switch
          checked={!!request.downstream}
          disabled={fixed}
          onChange={(event) => {
            planner.ask({ downstream: event.currentTarget.checked || undefined, rerunKept: undefined });
          }}
          label={t('downstream')}
          description={t('downstream_hint')}
        />
      )}
      {nothing && <p className={styles.nothing}>{t(`nothing.${nothing}`)}</p>}
      {plan && batch && plan.rows.length > 0 && (
        <div className={styles.plan} data-stale={phase === 'planning'}>
          {destroys(plan) && <Killed plan={plan} />}
          <PlanRows
            plan={plan}
            runs={batch.tasks}
            named={!!request.tasks?.length}
            moved={moved?.changed}
            different={request.latest ? different : undefined}
          />
          <KeptBox
            plan={plan}
            runs={batch.tasks}
            disabled={fixed}
            onAgain={
              request.action === 'cancel'
                ? undefined
                : (tasks) => {
                    planner.ask({ rerunKept: tasks.length > 0 ? tasks : undefined });
                  }
            }
          />
        </div>
      )}
      {!nothing && plan && (
        <NoteField
          ref={noteField}
          value={note}
          kind={closes ? 'close' : request.action === 'cancel' ? 'cancel' : 'repair'}
          needed={closes}
          missing={missing && note.trim() === ''}
          disabled={fixed}
          onChange={setNote}
          onEnter={go}
        />
      )}
    </Dialog>
  );
}

/** What runs now and will not live on: said before the rows, loudly. */
function Killed({ plan }: { plan: RepairPlan }) {
  const { t, i18n } = useTranslation('repair');
  const count = summarise(plan, 0).kill;
  if (count === 0) return <p className="hg-quiet">{t('asItGoes')}</p>;
  return (
    <p className={styles.killed}>
      <b>{t(plan.action === 'cancel' ? 'kill' : 'killFirst', { count, n: count.toLocaleString(i18n.language) })}</b>
      {plan.action === 'cancel' && ` ${t('asItGoes')}`}
    </p>
  );
}

import { Button } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog, ErrorNote, exact, useTaskNames, useTook } from '@/ui';
import { ActionButton } from './ActionButton';
import type { Command } from './calls';
import { KeptBox } from './KeptBox';
import {
  type Batch,
  capital,
  destroys,
  numeral,
  type RepairPlan,
  type RepairRequest,
  summarise,
  type Summary,
} from './plan';
import { KillWarning, PlanNotices } from './PlanNotices';
import { DownstreamSwitch, NoteField, RevisionChoice } from './PlanOptions';
import { PlanRows } from './PlanRows';
import { dialogStatus, type DialogStatus } from './repairMachine';
import { type Planner, usePlan } from './usePlan';
import { type RepairSubject, useRepairSubject } from './useRepairSubject';
import styles from './Repair.module.css';

interface Props {
  batch: number;
  request: RepairRequest;
  opened: boolean;
  onClose: () => void;
  onDone: (command: Command, plan: RepairPlan) => void;
}

/**
 * Shows what a repair would change and why, what stays, and the options of the plan. It applies the plan on the screen.
 */
export function RepairDialog({ batch: id, request: first, opened, onClose, onDone }: Props) {
  const { t } = useTranslation('repair');
  const planner = usePlan(id, first, onDone);
  const { phase, request } = planner.state;
  const subject = useRepairSubject(id, planner.state);
  const plan = subject.ready ? planner.state.plan : undefined;
  const status = dialogStatus(planner.state, plan, subject.batch);
  const { field, note, missing, setNote, apply } = useNote(first.note ?? '', planner);
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      busy={phase === 'planning' || (!subject.ready && !subject.error)}
      title={<Title id={id} request={request} subject={subject} />}
      summary={useSummary(planner, plan, subject.batch)}
      footer={
        <>
          {plan && !status.nothing && <UsualDuration batch={subject.batch} plan={plan} />}
          <Button onClick={onClose}>{t(closeKey(status, request))}</Button>
          {(!status.finished || phase === 'stored') && <ActionButton planner={planner} plan={plan} onApply={apply} />}
        </>
      }
    >
      {subject.error && !subject.batch ? <ErrorNote error={subject.error} /> : null}
      <PlanNotices state={planner.state} />
      <Options planner={planner} subject={subject} plan={plan} locked={status.locked} />
      {status.nothing && <p className={styles.nothing}>{t(`nothing.${status.nothing}`)}</p>}
      {plan && <PlanView planner={planner} subject={subject} plan={plan} locked={status.locked} />}
      {!status.nothing && plan && (
        <NoteField
          ref={field}
          value={note}
          kind={noteKind(request)}
          needed={noteKind(request) === 'close'}
          missing={missing}
          disabled={status.locked}
          onChange={setNote}
          onEnter={apply}
        />
      )}
    </Dialog>
  );
}

/** The text of the button that closes the dialog. */
function closeKey({ finished }: DialogStatus, { action }: RepairRequest) {
  return finished ? 'close_nothing' : action === 'cancel' ? 'keepRunning' : 'leave';
}

const noteKind = ({ action }: RepairRequest) => (action === 'close' || action === 'cancel' ? action : 'repair');

/** The note of a repair, and the call that applies the plan with it. A closing needs a note. */
function useNote(first: string, planner: Planner) {
  const [note, setNote] = useState(first);
  const [tried, setTried] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const empty = note.trim() === '';
  const apply = () => {
    if (noteKind(planner.state.request) === 'close' && empty) {
      setTried(true);
      field.current?.focus();
      return;
    }
    planner.apply(note);
  };
  return { field, note, missing: tried && empty, setNote, apply };
}

interface PartProps {
  planner: Planner;
  subject: RepairSubject;
  locked: boolean;
}

function Title({ id, request, subject }: { id: number; request: RepairRequest; subject: RepairSubject }) {
  const { t } = useTranslation('repair');
  const nameOf = useTaskNames();
  const { batch, zone } = subject;
  const { tasks = [], action } = request;
  const [task = ''] = tasks;
  const name =
    tasks.length === 0
      ? batch?.schedule || t('batch', { id })
      : tasks.length === 1
        ? nameOf(task)
        : t('tasks', { count: tasks.length });
  return (
    <>
      {t(`title.${action}`, { name })}
      {batch && <span className={styles.moment}>{` · ${exact(batch.moment, { zone })}`}</span>}
    </>
  );
}

/** How long a batch of this schedule usually takes, if the plan starts tasks. */
function UsualDuration({ batch, plan }: { batch?: Batch; plan: RepairPlan }) {
  const { t } = useTranslation('repair');
  const took = useTook();
  if (batch?.usualSeconds === undefined || summarise(plan, 0).run === 0) return null;
  return <span className={styles.usual}>{t('usual', { time: took(batch.usualSeconds * 1000) })}</span>;
}

/** The choices that the action offers. Each change asks for another plan. */
function Options({ planner, subject, plan, locked }: PartProps & { plan?: RepairPlan }) {
  const { t } = useTranslation('repair');
  const { request } = planner.state;
  const { batch, later } = subject;
  return (
    <>
      {later && batch && (
        <RevisionChoice
          own={batch.revision}
          latest={later.revision}
          differ={plan?.rows.filter((row) => later.different.has(row.task)).length ?? 0}
          value={!!request.latest}
          disabled={locked}
          onChange={(latest) => {
            planner.changeOptions({ latest: latest || undefined, revision: undefined, rerunKept: undefined });
          }}
        />
      )}
      {subject.upToDate && request.action === 'resume' && plan?.rows.some((row) => row.why === 'failed') && (
        <p className="hg-quiet">{t('revision.mend', { command: 'hivego apply' })}</p>
      )}
      {request.action === 'rerun' && (
        <DownstreamSwitch
          value={!!request.downstream}
          disabled={locked}
          onChange={(downstream) => {
            planner.changeOptions({ downstream: downstream || undefined, rerunKept: undefined });
          }}
        />
      )}
    </>
  );
}

/** The rows of the plan, and the runs that it leaves as they are. */
function PlanView({ planner, subject, plan, locked }: PartProps & { plan: RepairPlan }) {
  const { phase, request, moved } = planner.state;
  const { batch, later } = subject;
  if (!batch || plan.rows.length === 0) return null;
  const rerunKept = (tasks: string[]) => {
    planner.changeOptions({ rerunKept: tasks.length > 0 ? tasks : undefined });
  };
  return (
    <div className={styles.plan} data-stale={phase === 'planning'}>
      {destroys(plan) && <KillWarning plan={plan} />}
      <PlanRows
        plan={plan}
        runs={batch.tasks}
        named={!!request.tasks?.length}
        moved={moved?.changed}
        different={request.latest ? later?.different : undefined}
      />
      <KeptBox
        plan={plan}
        runs={batch.tasks}
        disabled={locked}
        onAgain={request.action === 'cancel' ? undefined : rerunKept}
      />
    </div>
  );
}

const PARTS = ['run', 'cancel', 'succeed', 'ignore', 'skip', 'keep'] as const satisfies readonly (keyof Summary)[];

/** A plan in one sentence: `Round 2. Three tasks run again, eight are kept. Nothing has changed yet.` */
function useSummary({ state }: Planner, plan: RepairPlan | undefined, batch: Batch | undefined): string | undefined {
  const { t, i18n } = useTranslation('repair');
  const { phase, request } = state;
  if (request.action === 'close') return t('close');
  if (phase === 'unsure' || phase === 'stored' || (phase === 'shown' && !state.plan)) return undefined;
  if (!plan || !batch) return t('planning');
  const counts = summarise(plan, batch.tasks.length);
  const parts = PARTS.filter((part) => counts[part] > 0).map((part) =>
    t(`summary.${part}`, { count: counts[part], n: numeral(counts[part], t('numerals'), i18n.language) }),
  );
  const changes = plan.rows.length === 0 ? '' : capital(parts.join(t('summary.comma'))) + t('summary.stop');
  const round = plan.rows.length > 0 && plan.round > batch.round ? t('summary.round', { round: plan.round }) : '';
  return [round, changes, t('summary.nothingYet')].filter(Boolean).join(i18n.language === 'zh' ? '' : ' ');
}

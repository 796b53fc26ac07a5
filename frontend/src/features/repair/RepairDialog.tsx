import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { titlesOf } from '@/api/definition';
import { batchQuery, definitionQuery } from '@/api/queries';
import { Dialog, ErrorNote, TaskTitles, useExact, useTaskNames, useTook } from '@/ui';
import type { Command } from './calls';
import { Dependants } from './Dependants';
import { PlanView } from './PlanView';
import {
  type Batch,
  capital,
  correctsFailure,
  countedRows,
  destroys,
  numeral,
  type RepairPlan,
  type RepairRequest,
  rerunBatches,
  summarise,
  type Summary,
} from './plan';
import { DownstreamSwitch, NoteField, RevisionChoice } from './PlanOptions';
import { dialogStatus, type DialogStatus, type RepairState } from './repairMachine';
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

/** Shows what a repair would change and why, which runs do not change, and the options of the plan. */
export function RepairDialog(props: Props) {
  return (
    <TaskTitles value={useTitles(props.batch)}>
      <PlanDialog {...props} />
    </TaskTitles>
  );
}

/** The titles of the tasks. Pages without a batch, such as the editor, do not know them. */
function useTitles(id: number): ReadonlyMap<string, string> {
  const known = useContext(TaskTitles);
  const unknown = known.size === 0;
  const { data: batch } = useQuery({ ...batchQuery(id), enabled: unknown });
  const { data: definition } = useQuery({
    ...definitionQuery(id, batch?.revision ?? 0),
    enabled: unknown && batch !== undefined,
  });
  return useMemo(() => (unknown ? titlesOf(definition) : known), [unknown, known, definition]);
}

function PlanDialog({ batch: id, request: initialRequest, opened, onClose, onDone }: Props) {
  const { t } = useTranslation('repair');
  const planner = usePlan(id, initialRequest, onDone);
  const { phase, request } = planner.state;
  const subject = useRepairSubject(id, planner.state);
  useProposedRevision(planner, initialRequest, subject);
  const plan = subject.ready ? planner.state.plan : undefined;
  const status = dialogStatus(planner.state, plan, subject.batch);
  const { field, note, missing, setNote, apply } = useNote(initialRequest.note ?? '', planner);
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
      <DependantsChoice planner={planner} plan={plan} status={status} />
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

/** Resumes with the later revision if that one corrects the failure. The user may choose the batch's own revision. */
function useProposedRevision(
  { changeOptions }: Planner,
  { action, latest, revision, tasks }: RepairRequest,
  { batch, later }: RepairSubject,
): void {
  const asked = useRef(action !== 'resume' || latest !== undefined || revision !== undefined || tasks !== undefined);
  useEffect(() => {
    if (asked.current || !batch || !later) return;
    asked.current = true;
    if (correctsFailure(later.different, batch)) changeOptions({ latest: true });
  }, [batch, later, changeOptions]);
}

/** The text of the button that closes the dialog. */
function closeKey({ finished }: DialogStatus, { action }: RepairRequest) {
  return finished ? 'close_nothing' : action === 'cancel' ? 'keepRunning' : 'leave';
}

const noteKind = ({ action }: RepairRequest) => (action === 'close' || action === 'cancel' ? action : 'repair');

/** The note of a repair, and the function that applies the plan with it. To close a batch, the note is required. */
function useNote(initialNote: string, planner: Planner) {
  const [note, setNote] = useState(initialNote);
  const [submitted, setSubmitted] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const empty = note.trim() === '';
  const apply = () => {
    if (noteKind(planner.state.request) === 'close' && empty) {
      setSubmitted(true);
      field.current?.focus();
      return;
    }
    planner.apply(note);
  };
  return { field, note, missing: submitted && empty, setNote, apply };
}

interface PartProps {
  planner: Planner;
  subject: RepairSubject;
  locked: boolean;
}

function Title({ id, request, subject }: { id: number; request: RepairRequest; subject: RepairSubject }) {
  const { t } = useTranslation('repair');
  const nameOf = useTaskNames();
  const { batch } = subject;
  const exact = useExact();
  const { tasks = [], action } = request;
  const [firstTask = ''] = tasks;
  const name =
    tasks.length === 0
      ? batch?.schedule || t('batch', { id })
      : tasks.length === 1
        ? nameOf(firstTask)
        : t('tasks', { count: tasks.length });
  return (
    <>
      {t(`title.${action}`, { name })}
      {batch && <span className={styles.moment}>{` · ${exact(batch.moment)}`}</span>}
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

/** The options of the action. Each change requests a new plan. */
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

/** The choice of what followed in other schedules, if the plan tells it. */
function DependantsChoice({
  planner,
  plan,
  status,
}: Pick<PartProps, 'planner'> & { plan?: RepairPlan; status: DialogStatus }) {
  if (status.nothing || !plan?.dependants) return null;
  return (
    <Dependants
      preview={plan.dependants}
      checked={!!planner.state.request.dependants}
      disabled={status.locked}
      onChange={(dependants) => {
        planner.changeOptions({ dependants: dependants || undefined });
      }}
    />
  );
}

const SUMMARY_PARTS = [
  'run',
  'cancel',
  'succeed',
  'ignore',
  'skip',
  'keep',
] as const satisfies readonly (keyof Summary)[];

/** A plan in one sentence: `Round 2. Three tasks run again, eight are kept. Nothing has changed yet.` */
function useSummary({ state }: Planner, plan: RepairPlan | undefined, batch: Batch | undefined): string | undefined {
  const { t, i18n } = useTranslation('repair');
  const { phase, request } = state;
  if (request.action === 'close') return t('close');
  if (phase === 'unsure' || phase === 'stored' || (phase === 'shown' && !state.plan)) return undefined;
  if (!plan || !batch) return t('planning');
  const counts = summarise(plan, batch.tasks.length);
  const parts = SUMMARY_PARTS.filter((part) => counts[part] > 0).map((part) =>
    t(`summary.${part}`, { count: counts[part], n: numeral(counts[part], t('numerals'), i18n.language) }),
  );
  const changes = plan.rows.length === 0 ? '' : capital(parts.join(t('summary.comma'))) + t('summary.stop');
  const round = plan.rows.length > 0 && plan.round > batch.round ? t('summary.round', { round: plan.round }) : '';
  return [round, changes, t('summary.nothingYet')].filter(Boolean).join(i18n.language === 'zh' ? '' : ' ');
}

interface ActionButtonProps {
  planner: Planner;
  /** Undefined until the dialog shows a plan. */
  plan: RepairPlan | undefined;
  onApply: () => void;
}

/**
 * The button that carries out the plan on the screen. Its label names the change. It is not highlighted if the plan
 * kills running tasks.
 */
function ActionButton({ planner, plan, onApply }: ActionButtonProps) {
  const { t } = useTranslation('repair');
  const { phase, error } = planner.state;
  if (!plan)
    return error ? (
      <Button variant="filled" onClick={planner.planAgain}>
        {t('action.again')}
      </Button>
    ) : (
      <Button variant="filled" disabled>
        {t('planning')}
      </Button>
    );
  const danger = destroys(plan);
  return (
    <Button
      variant={danger ? 'default' : 'filled'}
      className={danger ? styles.danger : undefined}
      loading={phase === 'sending' || phase === 'stored'}
      disabled={phase === 'planning'}
      onClick={onApply}
    >
      {phase === 'unsure' ? (
        t('action.again')
      ) : (
        <ActionText plan={plan} others={planner.state.request.dependants ? rerunBatches(plan) : 0} />
      )}
    </Button>
  );
}

/** What the button does; others counts the batches of other schedules that run again too. */
function ActionText({ plan, others }: { plan: RepairPlan; others: number }) {
  const { t } = useTranslation('repair');
  const own = useOwnAction(plan);
  return others > 0 ? t('action.others', { own, count: others }) : own;
}

function useOwnAction(plan: RepairPlan): string {
  const { t } = useTranslation('repair');
  const { run, kill } = summarise(plan, 0);
  const count =
    plan.action === 'resume' || plan.action === 'rerun'
      ? run
      : countedRows(plan).filter((row) => row.why === 'asked').length;
  if (plan.action === 'close') return t('action.close');
  if (kill > 0 && plan.action !== 'cancel') return t('action.kill', { count, kill });
  return t(`action.${plan.action}`, { count });
}

/** A notice if the plan was refused, replaced or stored, or if the answer to its order was lost. */
function PlanNotices({ state }: { state: RepairState }) {
  const { t } = useTranslation('repair');
  const nameOf = useTaskNames();
  const { phase, error, difference } = state;
  if (phase === 'stored') {
    return (
      <div className={styles.notice} role="status">
        <b>{t('stored.title')}</b>
        <p>{t('stored.detail')}</p>
      </div>
    );
  }
  if (phase === 'unsure') {
    return (
      <div className={styles.warning} role="alert">
        <b>{t('unsure.title')}</b>
        <p>{t('unsure.detail')}</p>
      </div>
    );
  }
  if (error !== undefined) return <ErrorNote error={error} />;
  if (!difference) return null;
  return (
    <div className={styles.warning} role="alert">
      <b>{t('moved.title')}</b>
      <p>{t(difference.changed.size > 0 || difference.removed.length > 0 ? 'moved.detail' : 'moved.same')}</p>
      {difference.removed.length > 0 && (
        <p>
          {t('moved.gone', {
            count: difference.removed.length,
            tasks: firstNames(difference.removed.map(nameOf)),
          })}
        </p>
      )}
    </div>
  );
}

const MAX_NAMES = 12;

/** The first names of a list, with dots if there are more. */
function firstNames(names: string[]): string {
  return names.slice(0, MAX_NAMES).join(', ') + (names.length > MAX_NAMES ? ' …' : '');
}

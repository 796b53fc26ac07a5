import { Button, Switch } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '@/api/problem';
import { Dialog, Glyph, type ShownState, useTaskNames } from '@/ui';
import { isOpen, type Outcome, type Part, type Target } from './many';
import { DownstreamSwitch, NoteField } from './PlanOptions';
import { capital, changeOf, countedRows, destroys, numeral, type PlanAction, summarise } from './plan';
import { useManyPlan } from './useManyPlan';
import styles from './Repair.module.css';

interface Props {
  targets: readonly Target[];
  action: PlanAction;
  opened: boolean;
  onClose: () => void;
  /** Called with each batch whose repair was carried out. */
  onApplied: (batch: number) => void;
}

const TITLED = ['resume', 'rerun', 'mark_success', 'close'] as const;

/** Shows what a repair would change in several batches, carries it out batch by batch, and shows each result. */
export function ManyRepairDialog({ targets, action, opened, onClose, onApplied }: Props) {
  const { t } = useTranslation(['runs', 'repair']);
  const planner = useManyPlan(targets, action, onApplied);
  const { parts, phase } = planner;
  const [note, setNote] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const busy = parts.some(({ outcome }) => outcome === 'planning');
  const open = parts.filter(isOpen);
  const missing = action === 'close' && note.trim() === '';
  const locked = phase !== 'preview';
  const apply = () => {
    setSubmitted(true);
    if (missing) field.current?.focus();
    else if (!busy && open.length > 0) planner.apply(note);
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      busy={busy}
      title={t(`runs:many.title.${TITLED.find((a) => a === action) ?? 'resume'}`, { count: targets.length })}
      summary={<Summary parts={parts} phase={phase} />}
      footer={<Footer {...{ planner, action, onClose, apply }} />}
    >
      {!locked && <Options action={action} planner={planner} />}
      <ul className={styles.rows} aria-label={t('runs:many.list')}>
        {parts.map((part) => (
          <li key={part.target.batch}>
            <PartRow part={part} />
          </li>
        ))}
      </ul>
      {(open.length > 0 || locked) && (
        <NoteField
          ref={field}
          value={note}
          kind={action === 'close' ? 'close' : 'repair'}
          needed={action === 'close'}
          missing={submitted && missing}
          disabled={locked}
          onChange={setNote}
          onEnter={apply}
        />
      )}
    </Dialog>
  );
}

interface FooterProps {
  planner: ReturnType<typeof useManyPlan>;
  action: PlanAction;
  onClose: () => void;
  apply: () => void;
}

/** The buttons: leave, plan again what was refused, and apply. */
function Footer({ planner, action, onClose, apply }: FooterProps) {
  const { t } = useTranslation(['runs', 'repair']);
  const { parts, phase } = planner;
  const unsure = phase === 'applied' && parts.some(({ outcome }) => outcome === 'unsure');
  return (
    <>
      <Button onClick={onClose}>{t(phase === 'applied' ? 'repair:close_nothing' : 'repair:leave')}</Button>
      {phase === 'applied' && !unsure && parts.some(({ outcome }) => outcome === 'refused') && (
        <Button onClick={planner.planAgain}>{t('runs:many.planAgain')}</Button>
      )}
      {(phase !== 'applied' || unsure) && (
        <ApplyButton parts={parts} action={action} loading={phase === 'applying'} again={unsure} onClick={apply} />
      )}
    </>
  );
}

/** The options of a rerun and a resume. */
function Options({ action, planner }: { action: PlanAction; planner: ReturnType<typeof useManyPlan> }) {
  const { t } = useTranslation('runs');
  const { options } = planner;
  return (
    <>
      {action === 'rerun' && (
        <DownstreamSwitch
          value={options.downstream}
          disabled={false}
          onChange={(downstream) => {
            planner.changeOptions({ downstream });
          }}
        />
      )}
      {(action === 'rerun' || action === 'resume') && (
        <Switch
          checked={options.latest}
          label={t('many.latest')}
          description={t('many.latestHint')}
          onChange={(event) => {
            planner.changeOptions({ latest: event.currentTarget.checked });
          }}
        />
      )}
    </>
  );
}

/** What all plans together would change, or what became of them. */
function Summary({ parts, phase }: { parts: readonly Part[]; phase: 'preview' | 'applying' | 'applied' }) {
  const { t } = useTranslation(['runs', 'repair']);
  const count = (...outcomes: Outcome[]) => parts.filter(({ outcome }) => outcomes.includes(outcome)).length;
  if (count('planning') > 0) return t('repair:planning');
  if (phase === 'preview') return `${t('runs:many.each')} ${t('repair:summary.nothingYet')}`;
  const done = t('runs:many.done', { count: count('done'), of: parts.length });
  const refused = count('refused');
  return (
    <span role="status">
      {done}
      {refused > 0 && ` ${t('runs:many.refused', { count: refused })}`}
      {count('unsure') > 0 && ` ${t('repair:unsure.detail')}`}
    </span>
  );
}

interface ApplyProps {
  parts: readonly Part[];
  action: PlanAction;
  loading: boolean;
  again: boolean;
  onClick: () => void;
}

/** The button that carries out all plans. It names the number of tasks and batches. */
function ApplyButton({ parts, action, loading, again, onClick }: ApplyProps) {
  const { t } = useTranslation(['runs', 'repair']);
  const open = parts.filter(isOpen);
  const danger = open.some(({ plan }) => plan && destroys(plan));
  const tasks = open.reduce(
    (sum, { plan }) => sum + (plan?.rows.filter(({ to }) => counted(action, to)).length ?? 0),
    0,
  );
  const own = action === 'close' ? t('runs:many.close') : t(`repair:action.${action}`, { count: tasks });
  return (
    <Button
      variant={danger ? 'default' : 'filled'}
      className={danger ? styles.danger : undefined}
      loading={loading}
      disabled={open.length === 0 || parts.some(({ outcome }) => outcome === 'planning')}
      onClick={onClick}
    >
      {again ? t('repair:action.again') : t('runs:many.action', { own, count: open.length })}
    </Button>
  );
}

const counted = (action: PlanAction, to: string) => to === (action === 'mark_success' ? 'succeeded' : 'waiting');

const GLYPH: Record<Outcome, ShownState> = {
  planning: 'waiting',
  planned: 'ready',
  failed: 'failed',
  sending: 'running',
  stored: 'waiting',
  done: 'succeeded',
  refused: 'failed',
  unsure: 'unknown',
};

/** One batch: what its plan would change, and what became of it. */
function PartRow({ part }: { part: Part }) {
  const { t } = useTranslation(['runs', 'repair']);
  const { target, outcome, plan } = part;
  return (
    <div className={styles.row}>
      <Glyph state={GLYPH[outcome]} />
      <div>
        <b>{target.label}</b>{' '}
        <Link to="/batches/$id" params={{ id: target.batch }} preload={false} target="_blank">
          {t('repair:batch', { id: target.batch })}
        </Link>
        <Changes part={part} />
      </div>
      <span className={styles.change}>
        {plan && outcome === 'planned' && !isOpen(part)
          ? t('runs:many.outcome.nothing')
          : t(`runs:many.outcome.${outcome}`)}
      </span>
    </div>
  );
}

const MAX_NAMES = 8;

/** The tasks that a plan changes, by the kind of the change, or why there is no plan. */
function Changes({ part: { plan, error, outcome } }: { part: Part }) {
  const { t, i18n } = useTranslation(['repair', 'runs', 'states']);
  const nameOf = useTaskNames();
  const problems = useTranslation('problems').t;
  if (error !== undefined) return <p className={styles.warn}>{problemText(error, problems).detail}</p>;
  if (!plan || plan.rows.length === 0) return null;
  const rows = countedRows(plan);
  const counts = summarise(plan, rows.length);
  const parts = (['run', 'cancel', 'succeed', 'ignore', 'skip'] as const)
    .filter((key) => counts[key] > 0)
    .map((key) =>
      t(`repair:summary.${key}`, { count: counts[key], n: numeral(counts[key], t('repair:numerals'), i18n.language) }),
    );
  const names = rows
    .slice(0, MAX_NAMES)
    .map(({ task, shard }) => (shard === undefined ? nameOf(task) : `${nameOf(task)} · ${String(shard)}`));
  const kills = rows.filter((row) => changeOf(row) === 'killRun' || changeOf(row) === 'kill').length;
  return (
    <p>
      {outcome === 'done' && plan.round > 1 ? `${t('repair:summary.round', { round: plan.round })} ` : ''}
      {capital(parts.join(t('repair:summary.comma')))}: {names.join(', ')}
      {rows.length > MAX_NAMES && ` ${t('repair:kept.more', { count: rows.length - MAX_NAMES })}`}
      {kills > 0 && ` · ${t('repair:killFirst', { count: kills, n: String(kills) })}`}
    </p>
  );
}

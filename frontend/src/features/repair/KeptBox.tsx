import { Checkbox, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { TaskRun } from '@/live';
import { Glyph, useTaskNames } from '@/ui';
import { doubtful, type KeptGroup, keptGroups, type RepairPlan } from './plan';
import styles from './Repair.module.css';

/** So many names of a state are shown before the rest is folded away, and never more than so many at all. */
const FEW = 12;
const MOST = 500;
/** Above so many, those that ran on what is made anew are one choice instead of one each. */
const EACH = 8;

interface Props {
  plan: RepairPlan;
  runs: readonly TaskRun[];
  disabled: boolean;
  /** Plans anew with these kept tasks run again; left out where that makes no sense. */
  onAgain?: (tasks: string[]) => void;
}

/** What stays as it is, and what a person should know of it. */
export function KeptBox({ plan, runs, disabled, onAgain }: Props) {
  const { t } = useTranslation(['repair', 'states']);
  const nameOf = useTaskNames();
  const groups = keptGroups(plan, runs);
  const changed = plan.kept.filter((k) => k.changed).map((k) => nameOf(k.task));
  const doubts = onAgain ? doubtful(plan) : [];
  return (
    <>
      {groups.length > 0 && (
        <section className={styles.kept} aria-label={t('kept.title')}>
          {groups.map((group) => (
            <Group key={group.state} group={group} />
          ))}
          <p>{t(groups.every((g) => g.state === 'succeeded') ? 'kept.label' : 'kept.labelOther')}</p>
          {changed.length > 0 && (
            <p className={styles.warn}>
              {t('kept.differ', {
                revision: plan.revision,
                tasks: changed.slice(0, FEW).join(', ') + (changed.length > FEW ? ' …' : ''),
              })}
            </p>
          )}
        </section>
      )}
      {doubts.length > 0 && onAgain && (
        <fieldset className={styles.doubts} disabled={disabled}>
          <legend>{t('kept.doubt')}</legend>
          {doubts.length > EACH ? (
            <Checkbox
              label={t('kept.doubtAll', { count: doubts.length })}
              checked={doubts.every((d) => d.again)}
              indeterminate={doubts.some((d) => d.again) && !doubts.every((d) => d.again)}
              onChange={(event) => {
                onAgain(event.currentTarget.checked ? doubts.map((d) => d.task) : []);
              }}
            />
          ) : (
            doubts.map((d) => (
              <Checkbox
                key={d.task}
                label={t('kept.doubtOne', { task: nameOf(d.task), cause: nameOf(d.cause) })}
                checked={d.again}
                onChange={(event) => {
                  const others = doubts.filter((o) => o.again && o.task !== d.task).map((o) => o.task);
                  onAgain(event.currentTarget.checked ? [...others, d.task] : others);
                }}
              />
            ))
          )}
        </fieldset>
      )}
    </>
  );
}

function Group({ group }: { group: KeptGroup }) {
  const { t } = useTranslation(['repair', 'states']);
  const nameOf = useTaskNames();
  const [open, setOpen] = useState(false);
  const rest = group.tasks.length - FEW;
  const shown = group.tasks.slice(0, open ? MOST : FEW);
  return (
    <div className={styles.group}>
      <Glyph state={group.state} />
      <span>
        <span className="hg-visually-hidden">{`${t(`states:${group.state}`)}: `}</span>
        {shown.map(nameOf).join(', ')}
        {open && group.tasks.length > MOST && ` … ${t('kept.more', { count: group.tasks.length - MOST })}`}
        {rest > 0 && (
          <>
            {' '}
            <UnstyledButton
              className={styles.fold}
              aria-expanded={open}
              onClick={() => {
                setOpen(!open);
              }}
            >
              {open ? t('kept.less') : t('kept.more', { count: rest })}
            </UnstyledButton>
          </>
        )}
      </span>
    </div>
  );
}

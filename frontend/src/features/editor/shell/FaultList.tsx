import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocFault, faultText, taskOf } from '@/document';
import { useDoc, useEditor } from '../context';
import { fieldOf, subjectOf } from '../inspector/faults';
import { countKinds, type FaultGroup, groupFaults, type Walk } from './faultGroups';
import { useFieldTexts } from './fieldTexts';
import styles from './Publish.module.css';

/** The most tasks of a group that are named. */
const NAMED = 24;

interface Props {
  faults: readonly DocFault[];
  /** The dialog closes, because the page shows a fault. */
  onGo: () => void;
  /** The user begins to go through equal faults. */
  onWalk: (walk: Walk) => void;
}

/** The faults of the document, equal ones as one entry, each with links to its tasks, job or field. */
export function FaultList({ faults, onGo, onWalk }: Props) {
  const { t } = useTranslation('editor');
  const { t: tDocument } = useTranslation('document');
  const doc = useDoc((s) => s.doc);
  const { labelAt } = useFieldTexts();
  const show = useShowFault(onGo);
  const groups = useMemo(
    () =>
      groupFaults(
        faults.map((fault) => {
          const { task } = subjectOf(doc, fault);
          const handler = task === undefined ? undefined : taskOf(doc, task)?.handler;
          const located = { ...fault, task };
          return { fault: located, at: labelAt(fieldOf(fault) || undefined, handler), ...faultText(tDocument, fault) };
        }),
      ),
    [faults, doc, labelAt, tDocument],
  );
  const { wrong, empty, warning } = countKinds(faults);
  if (faults.length === 0) return null;
  const title = [
    wrong > 0 && t('faults.title', { count: wrong }),
    empty > 0 && t('faults.toFill', { count: empty }),
    wrong + empty === 0 && t('faults.warnings', { count: warning }),
  ];
  return (
    <section>
      <h3 className={styles.head}>{title.filter(Boolean).join(' · ')}</h3>
      <ul className={styles.faults}>
        {groups.map((group) =>
          group.faults.length > 1 ? (
            <GroupRow
              key={`${group.kind} ${group.at ?? ''} ${group.message}`}
              group={group}
              onGo={(start) => {
                const fault = group.faults[start];
                if (fault) show(fault);
                onWalk({ at: group.at, faults: group.faults, start });
              }}
            />
          ) : (
            <FaultRow key={`${group.kind} ${group.faults[0]?.path ?? ''} ${group.message}`} group={group} onGo={show} />
          ),
        )}
      </ul>
    </section>
  );
}

/** Shows the field of a fault on the page. */
function useShowFault(onGo: () => void): (fault: DocFault) => void {
  const { goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  return (fault) => {
    const { task, job } = subjectOf(doc, fault);
    const field = fieldOf(fault) || undefined;
    onGo();
    if (task !== undefined) goTo({ view: undefined, task, job: undefined, field });
    else if (job !== undefined) goTo({ view: undefined, task: undefined, job, field });
    else goTo({ view: 'settings', field });
  };
}

/** A fault that several tasks have: `Command is missing in 3 tasks: A B C`. */
function GroupRow({ group, onGo }: { group: FaultGroup; onGo: (start: number) => void }) {
  const { t } = useTranslation('editor');
  const { kind, at, message, remedy, faults } = group;
  const count = faults.length;
  const more = count - NAMED;
  return (
    <li data-kind={kind} data-group="">
      <p>
        {kind === 'empty' && at ? (
          <b>{t('faults.missingIn', { field: at, count })}</b>
        ) : (
          <>
            <b>{message}</b> {t('faults.inTasks', { count })}
            {remedy && <span>{remedy}</span>}
          </>
        )}
      </p>
      <div className={styles.tasks}>
        {faults.slice(0, NAMED).map(({ task }, i) => (
          <button
            key={task}
            type="button"
            onClick={() => {
              onGo(i);
            }}
          >
            {task}
          </button>
        ))}
        {more > 0 && <small>{t('faults.more', { count: more })}</small>}
      </div>
    </li>
  );
}

function FaultRow({ group, onGo }: { group: FaultGroup; onGo: (fault: DocFault) => void }) {
  const { t } = useTranslation('editor');
  const doc = useDoc((s) => s.doc);
  const { subject } = useFieldTexts();
  const { kind, at, message, remedy, faults } = group;
  const [fault] = faults;
  if (!fault) return null;
  return (
    <li data-kind={kind}>
      <button
        type="button"
        onClick={() => {
          onGo(fault);
        }}
      >
        {subject(doc, fault)}
      </button>
      <small>{[at, kind === 'warning' && t('faults.warning')].filter(Boolean).join(' · ')}</small>
      <p>
        {message}
        {remedy && <span>{remedy}</span>}
      </p>
    </li>
  );
}

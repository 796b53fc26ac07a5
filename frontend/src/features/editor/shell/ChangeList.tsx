import { useTranslation } from 'react-i18next';
import type { Diff, FieldChange, ItemChange } from '@/document';
import { oneLine, useFieldTexts, valueText } from './fieldTexts';
import { differingWords, type Piece } from './words';
import styles from './Changes.module.css';

/** The changes between two documents as a list, with the values before and after. */
export function ChangeList({
  diff,
  onPick,
}: {
  diff: Diff;
  onPick?: (where: { task?: string; job?: string }) => void;
}) {
  const { t } = useTranslation('editor');
  if (diff.count === 0) return <p className="hg-quiet">{t('changes.order')}</p>;
  return (
    <ul className={styles.list}>
      {diff.head.length > 0 && (
        <li>
          <ChangeMark kind="changed" />
          <div className={styles.what}>
            <b>{t('changes.schedule')}</b>
            <Fields fields={diff.head} />
          </div>
        </li>
      )}
      {diff.jobs.map((job) => (
        <Row
          key={`job ${job.kind} ${job.key}`}
          item={job}
          job
          onPick={
            onPick && job.kind !== 'removed'
              ? () => {
                  onPick({ job: job.key });
                }
              : undefined
          }
        />
      ))}
      {diff.tasks.map((task) => (
        <Row
          key={`task ${task.kind} ${task.key}`}
          item={task}
          where={task.job}
          onPick={
            onPick && task.kind !== 'removed'
              ? () => {
                  onPick({ task: task.key });
                }
              : undefined
          }
        />
      ))}
    </ul>
  );
}

interface RowProps {
  item: ItemChange<{ title?: string; handler?: string }>;
  job?: boolean;
  /** The key of the job that holds a task. */
  where?: string;
  onPick?: () => void;
}

/** One changed job or task. */
function Row({ item, job, where, onPick }: RowProps) {
  const { t } = useTranslation('editor');
  const notes = useNotes({ item, job, where });
  return (
    <li data-kind={item.kind}>
      <ChangeMark kind={item.kind} moved={item.fields.length === 0 && item.movedFrom !== undefined} />
      <div className={styles.what}>
        <b>
          {job && <small>{t('changes.job')} </small>}
          {onPick ? (
            <button type="button" onClick={onPick}>
              {item.key}
            </button>
          ) : (
            item.key
          )}
        </b>
        {notes.length > 0 && <small>{notes.join(' · ')}</small>}
        <Fields fields={item.fields} handler={(item.after ?? item.before)?.handler} />
      </div>
    </li>
  );
}

/** The notes behind the key: the title, the former key, and the present and former job. */
function useNotes({ item, job, where }: RowProps): string[] {
  const { t } = useTranslation('editor');
  const title = (item.after ?? item.before)?.title;
  const notes = title ? [title] : [];
  if (item.renamedFrom !== undefined) notes.push(t('changes.renamed', { from: item.renamedFrom }));
  if (item.movedFrom !== undefined)
    notes.push(t(job ? 'changes.movedJob' : 'changes.moved', { from: item.movedFrom, to: where ?? '' }));
  else if (where && item.kind !== 'changed') notes.push(t('changes.in', { job: where }));
  return notes;
}

function Fields({ fields, handler }: { fields: readonly FieldChange[]; handler?: string }) {
  const { label } = useFieldTexts();
  if (fields.length === 0) return null;
  return (
    <dl className={styles.fields}>
      {fields.map((change) => (
        <div key={change.field}>
          <dt>{label(change.field, handler)}</dt>
          <dd>
            <Values change={change} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The values before and after; of long texts only the part that differs. Each trigger is a change of its own. */
function Values({ change: { field, before, after } }: { change: FieldChange }) {
  const { t } = useTranslation('editor');
  const { value, values } = useFieldTexts();
  const isTrigger = field === 'triggers';
  const singleText = (one: unknown) => (isTrigger ? values(field, [one])[0] : oneLine(value(field, one)));
  if (before === undefined) return <ins title={valueText(after)}>{singleText(after)}</ins>;
  if (after === undefined)
    return (
      <>
        <del title={valueText(before)}>{singleText(before)}</del>
        <span className="hg-visually-hidden"> {t('changes.gone')}</span>
      </>
    );
  const [textBefore, textAfter] = values(field, [before, after]);
  const [old, fresh] = textBefore && textAfter ? differingWords(textBefore, textAfter) : [];
  return (
    <>
      {textBefore && <del title={valueText(before)}>{old ? <Pieces pieces={old} /> : textBefore}</del>}
      <i aria-hidden="true">→</i>
      {textAfter ? (
        <ins title={valueText(after)}>{fresh ? <Pieces pieces={fresh} /> : textAfter}</ins>
      ) : (
        <em>{t(isTrigger ? 'changes.gone' : 'changes.lines')}</em>
      )}
    </>
  );
}

/** A text whose words that differ are marked; if none is shared with the other text, none is. */
function Pieces({ pieces }: { pieces: readonly Piece[] }) {
  const hasShared = pieces.some(({ text, differs }) => !differs && text.trim() !== '');
  if (!hasShared) return pieces.map(({ text }) => text).join('');
  return (
    <span className={styles.pieces}>
      {pieces.map(({ text, differs }, i) => (differs ? <mark key={i}>{text}</mark> : text))}
    </span>
  );
}

const PATHS = {
  added: 'M8 4v8M4 8h8',
  removed: 'M4 8h8',
  changed: 'M5 6.5h6M5 9.5h6',
  moved: 'M4 8h7M8.5 5l3 3-3 3',
} as const;

/** The kind of change of a job or task. */
export type Mark = keyof typeof PATHS;

/** A mark for a change: an icon with a word, so that it does not depend on colour. */
export function ChangeMark({
  kind,
  moved,
  bare,
}: {
  kind: Mark;
  moved?: boolean;
  /** Without the word, which the page shows beside it. */
  bare?: boolean;
}) {
  const { t } = useTranslation('editor');
  const mark = moved ? 'moved' : kind;
  return (
    <span className={styles.sign} data-mark={mark} title={bare ? undefined : t(`mark.${mark}`)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path d={PATHS[mark]} />
      </svg>
      {!bare && <span className="hg-visually-hidden">{t(`mark.${mark}`)}</span>}
    </span>
  );
}

import { useTranslation } from 'react-i18next';
import type { Diff, FieldChange, ItemChange } from '@/document';
import { Sign } from './Sign';
import { brief, valueText } from './values';
import { useFieldWords } from './words';
import styles from './Changes.module.css';

/** What changed, in words: each with its sign, and its fields as they were and are. */
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
          <Sign kind="changed" />
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

function Row({
  item,
  job,
  where,
  onPick,
}: {
  item: ItemChange<{ title?: string; handler?: string }>;
  job?: boolean;
  where?: string;
  onPick?: () => void;
}) {
  const { t } = useTranslation('editor');
  const title = (item.after ?? item.before)?.title;
  const notes = title ? [title] : [];
  if (item.renamedFrom !== undefined) notes.push(t('changes.renamed', { from: item.renamedFrom }));
  if (item.movedFrom !== undefined)
    notes.push(t(job ? 'changes.movedJob' : 'changes.moved', { from: item.movedFrom, to: where ?? '' }));
  else if (where && item.kind !== 'changed') notes.push(t('changes.in', { job: where }));
  return (
    <li data-kind={item.kind}>
      <Sign kind={item.kind} moved={item.fields.length === 0 && item.movedFrom !== undefined} />
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

function Fields({ fields, handler }: { fields: readonly FieldChange[]; handler?: string }) {
  const { label } = useFieldWords();
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

/** What it was and what it is; of long texts only what differs. Triggers are told one by one. */
function Values({ change: { field, before, after } }: { change: FieldChange }) {
  const { t } = useTranslation('editor');
  const { value, values } = useFieldWords();
  const each = field === 'triggers';
  const alone = (one: unknown) => (each ? values(field, [one])[0] : brief(value(field, one)));
  if (before === undefined) return <ins title={valueText(after)}>{alone(after)}</ins>;
  if (after === undefined)
    return (
      <>
        <del title={valueText(before)}>{alone(before)}</del>
        <span className="hg-visually-hidden"> {t('changes.gone')}</span>
      </>
    );
  const [was, is] = values(field, [before, after]);
  return (
    <>
      {was && <del title={valueText(before)}>{was}</del>}
      <i aria-hidden="true">→</i>
      {is ? <ins title={valueText(after)}>{is}</ins> : <em>{t(each ? 'changes.gone' : 'changes.lines')}</em>}
    </>
  );
}

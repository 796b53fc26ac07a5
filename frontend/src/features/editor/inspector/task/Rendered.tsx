import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { type Doc, taskOf } from '@/document';
import { useDoc } from '../../context';
import styles from '../Inspector.module.css';

/** The server is asked after so many milliseconds without a change. */
const DELAY = 500;

type State = { preview: Schemas['Preview']; error?: undefined } | { error: unknown; preview?: undefined };

/** Which task, and what is shown first. */
export interface RenderedProps {
  /** The key of the task. */
  task: string;
  /** The name of the param that is shown first. */
  main?: string;
}

/** What an executor would get of a task now, as the server renders it. */
export function Rendered({ task, main }: RenderedProps) {
  const { t } = useTranslation('inspector');
  const { t: problems } = useTranslation('problems');
  const doc = useDoc((s) => s.doc);
  const [result, setGot] = useState<State & { of: Doc }>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const request = api.POST('/api/v1/previews', {
        body: { definition: withoutOtherTasks(doc, task) as unknown as Record<string, never>, task },
        signal: stop.signal,
      });
      data(request).then(
        (preview) => {
          setGot({ preview, of: doc });
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setGot({ error, of: doc });
        },
      );
    }, DELAY);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [doc, task]);
  if (!result)
    return (
      <p className="hg-quiet" role="status">
        {t('preview.waiting')}
      </p>
    );
  if (!result.preview) return <p className="hg-quiet">{problemText(result.error, problems).detail}</p>;
  const { params, env, values, when, faults } = result.preview;
  const entries = Object.entries((params ?? {}) as Record<string, unknown>).sort(
    ([a], [b]) => Number(b === main) - Number(a === main),
  );
  return (
    <div className={styles.preview} aria-busy={result.of !== doc}>
      {when !== undefined && <p>{t(when ? 'preview.runs' : 'preview.ignored')}</p>}
      {faults.length > 0 && (
        <ul className={styles.faults}>
          {faults.map((fault, i) => (
            <li key={i} data-warning={fault.warning || undefined}>
              {fault.message}
              {fault.remedy && <span> {fault.remedy}</span>}
            </li>
          ))}
        </ul>
      )}
      {entries.map(([name, value]) => (
        <div key={name} className={styles.section}>
          <h3>{name}</h3>
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard */}
          <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
        </div>
      ))}
      <ValueList title={t('preview.values')} all={values as Record<string, unknown> | undefined} />
      <ValueList title={t('preview.env')} all={env} later="HIVEGO_BATCH" />
    </div>
  );
}

/** Values by their names. `later` names the value that only a batch has. */
function ValueList({ title, all, later }: { title: string; all?: Readonly<Record<string, unknown>>; later?: string }) {
  const { t } = useTranslation('inspector');
  const entries = Object.entries(all ?? {});
  if (entries.length === 0) return null;
  return (
    <div className={styles.section}>
      <h3>{title}</h3>
      <dl className={styles.env}>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            {name === later && value === '' ? (
              <dd className={styles.later}>{t('preview.later')}</dd>
            ) : (
              <dd>{String(value)}</dd>
            )}
          </div>
        ))}
      </dl>
    </div>
  );
}

/** The document with only the keys and handlers of its other tasks, which expressions may name. */
function withoutOtherTasks(doc: Doc, key: string): Doc {
  const task = taskOf(doc, key);
  return {
    ...doc,
    jobs: doc.jobs.map((job) => ({
      key: job.key,
      tasks: job.tasks?.map((other) => (other === task ? other : { key: other.key, handler: other.handler })),
    })),
  };
}

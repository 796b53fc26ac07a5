import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { problemText } from '@/api/problem';
import { type Doc, taskOf } from '@/document';
import { useDoc } from '../../context';
import { More } from '../Panel';
import styles from '../Inspector.module.css';

/** Milliseconds without a change after which the server is asked. */
const CALM = 500;

/** What a task would hand to its executor now, as the server renders it. It is asked for only while it is looked at. */
export function Preview({ task, main }: { task: string; main?: string }) {
  const { t } = useTranslation('inspector');
  return (
    <More title={t('preview.title')}>
      <Rendered task={task} main={main} />
    </More>
  );
}

type State = { preview: Schemas['Preview']; error?: undefined } | { error: unknown; preview?: undefined };

function Rendered({ task, main }: { task: string; main?: string }) {
  const { t } = useTranslation('inspector');
  const { t: problems } = useTranslation('problems');
  const doc = useDoc((s) => s.doc);
  const [got, setGot] = useState<State & { of: Doc }>();
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => {
      const ask = api.POST('/api/v1/previews', {
        body: { definition: only(doc, task) as unknown as Record<string, never>, task },
        signal: stop.signal,
      });
      data(ask).then(
        (preview) => {
          setGot({ preview, of: doc });
        },
        (error: unknown) => {
          if (!stop.signal.aborted) setGot({ error, of: doc });
        },
      );
    }, CALM);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [doc, task]);
  if (!got)
    return (
      <p className="hg-quiet" role="status">
        {t('preview.waiting')}
      </p>
    );
  if (!got.preview) return <p className="hg-quiet">{problemText(got.error, problems).detail}</p>;
  const { params, env, values, when, faults } = got.preview;
  const given = Object.entries((params ?? {}) as Record<string, unknown>).sort(
    ([a], [b]) => Number(b === main) - Number(a === main),
  );
  return (
    <div className={styles.preview} aria-busy={got.of !== doc}>
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
      {given.map(([name, value]) => (
        <div key={name} className={styles.section}>
          <h3>{name}</h3>
          {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard */}
          <pre tabIndex={0}>{typeof value === 'string' ? value : JSON.stringify(value, null, 2)}</pre>
        </div>
      ))}
      <Names title={t('preview.values')} all={values as Record<string, unknown> | undefined} />
      <Names title={t('preview.env')} all={env} later="HIVEGO_BATCH" />
    </div>
  );
}

/** What stands under names; `later` is the one whose value only a batch gives. */
function Names({ title, all, later }: { title: string; all?: Readonly<Record<string, unknown>>; later?: string }) {
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

/** The document with no more of its other tasks than expressions may name. */
function only(doc: Doc, key: string): Doc {
  const task = taskOf(doc, key);
  return {
    ...doc,
    jobs: doc.jobs.map((job) => ({
      key: job.key,
      tasks: job.tasks?.map((other) => (other === task ? other : { key: other.key, handler: other.handler })),
    })),
  };
}

import { useTranslation } from 'react-i18next';
import { faultKind, faultText, taskOf } from '@/document';
import { useDoc, useEditor, useFaults } from '../context';
import { useFieldTexts } from '../shell/fieldTexts';
import { fieldOf, subjectOf } from './faults';
import { LatestRevision } from './LatestRevision';
import { Head } from './Panel';
import styles from './Inspector.module.css';
import { NextTicks } from './NextTicks';

const MAX_FAULTS = 50;

/** The panel without a selection: a summary of the schedule, its next ticks, and its faults. */
export function Summary() {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const faults = useFaults();
  const { goTo } = useEditor();
  const tasks = doc.jobs.reduce((sum, job) => sum + (job.tasks?.length ?? 0), 0);
  return (
    <>
      <Head title={doc.title ?? doc.name}>
        {t('summary.size', {
          jobs: t('summary.jobs', { count: doc.jobs.length }),
          tasks: t('job.tasks', { count: tasks }),
        })}
      </Head>
      <div className={styles.body}>
        {doc.description && <p>{doc.description}</p>}
        <section className={styles.section}>
          <h3>{t('summary.next')}</h3>
          <NextTicks schedule={doc.name} triggers={doc.triggers ?? []} zone={doc.timezone} />
          <div>
            <button
              type="button"
              className={styles.link}
              onClick={() => {
                goTo({ view: 'settings' });
              }}
            >
              {t('summary.settings')}
            </button>
          </div>
        </section>
        <LatestRevision />
        <section className={styles.section}>
          <h3>{t('summary.faults', { count: faults.length })}</h3>
          {faults.length === 0 && <p className="hg-quiet">{t('summary.sound')}</p>}
          <ul className={styles.tasks}>
            {faults.slice(0, MAX_FAULTS).map((fault, i) => (
              <li key={i} data-wrong={faultKind(fault) === 'wrong' || undefined}>
                <Fault fault={fault} />
              </li>
            ))}
          </ul>
          {faults.length > MAX_FAULTS && (
            <p className="hg-quiet">{t('summary.more', { count: faults.length - MAX_FAULTS })}</p>
          )}
        </section>
      </div>
    </>
  );
}

function Fault({ fault }: { fault: ReturnType<typeof useFaults>[number] }) {
  const { t } = useTranslation(['inspector', 'document']);
  const { t: tDocument } = useTranslation('document');
  const { store, goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { labelAt } = useFieldTexts();
  const subject = subjectOf(doc, fault);
  const field = fieldOf(fault) || undefined;
  const go = () => {
    if (subject.task !== undefined) store.getState().select({ tasks: [subject.task] });
    else if (subject.job !== undefined) store.getState().select({ tasks: [], job: subject.job });
    goTo(subject.task === undefined && subject.job === undefined ? { view: 'settings', field } : { field });
  };
  return (
    <button type="button" onClick={go}>
      <span>{faultText(tDocument, fault).message}</span>
      <small>
        {[
          subject.task ?? subject.job ?? t('summary.schedule'),
          labelAt(field, subject.task === undefined ? undefined : taskOf(doc, subject.task)?.handler),
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
    </button>
  );
}

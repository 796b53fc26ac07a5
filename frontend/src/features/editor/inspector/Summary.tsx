import { useTranslation } from 'react-i18next';
import { faultText, taskOf } from '@/document';
import { useDoc, useEditor, useFaults } from '../context';
import { useFieldWords } from '../shell/fieldTexts';
import { fieldOf, placeOf } from './faults';
import { Head } from './Panel';
import styles from './Inspector.module.css';
import { NextTicks } from './NextTicks';

const MOST = 50;

/** The panel that is shown without a selection: the schedule in short, its next runs, and its faults. */
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
          <NextTicks triggers={doc.triggers ?? []} zone={doc.timezone} />
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
        <section className={styles.section}>
          <h3>{t('summary.faults', { count: faults.length })}</h3>
          {faults.length === 0 && <p className="hg-quiet">{t('summary.sound')}</p>}
          <ul className={styles.tasks}>
            {faults.slice(0, MOST).map((fault, i) => (
              <li key={i} data-wrong={fault.warning ? undefined : true}>
                <Fault fault={fault} />
              </li>
            ))}
          </ul>
          {faults.length > MOST && <p className="hg-quiet">{t('summary.more', { count: faults.length - MOST })}</p>}
        </section>
      </div>
    </>
  );
}

function Fault({ fault }: { fault: ReturnType<typeof useFaults>[number] }) {
  const { t } = useTranslation(['inspector', 'document']);
  const { t: words } = useTranslation('document');
  const { store, goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { labelAt } = useFieldWords();
  const place = placeOf(doc, fault);
  const field = fieldOf(fault) || undefined;
  const go = () => {
    if (place.task !== undefined) store.getState().select({ tasks: [place.task] });
    else if (place.job !== undefined) store.getState().select({ tasks: [], job: place.job });
    goTo(place.task === undefined && place.job === undefined ? { view: 'settings', field } : { field });
  };
  return (
    <button type="button" onClick={go}>
      <span>{faultText(words, fault).message}</span>
      <small>
        {[
          place.task ?? place.job ?? t('summary.schedule'),
          labelAt(field, place.task === undefined ? undefined : taskOf(doc, place.task)?.handler),
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
    </button>
  );
}

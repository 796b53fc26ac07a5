import { useTranslation } from 'react-i18next';
import { type DocFault, faultText } from '@/document';
import { useEditor } from '../context';
import styles from './Publish.module.css';

/** What is wrong, each with a way to its place. */
export function FaultList({ faults, onGo }: { faults: readonly DocFault[]; onGo: () => void }) {
  const { t } = useTranslation('editor');
  const bad = faults.filter((f) => !f.warning);
  const warnings = faults.filter((f) => f.warning);
  if (faults.length === 0) return null;
  return (
    <section>
      <h3 className={styles.head}>{bad.length > 0 ? t('faults.title', { count: bad.length }) : t('faults.warnings', { count: warnings.length })}</h3>
      <ul className={styles.faults}>{[...bad, ...warnings].map((fault) => <Row key={`${fault.code} ${fault.path}`} fault={fault} onGo={onGo} />)}</ul>
    </section>
  );
}

function Row({ fault, onGo }: { fault: DocFault; onGo: () => void }) {
  const { t } = useTranslation('editor');
  const { t: words } = useTranslation('document');
  const { goTo } = useEditor();
  const { message, remedy } = faultText(words, fault);
  const go = () => {
    onGo();
    if (fault.task !== undefined) goTo({ view: undefined, task: fault.task, job: undefined, field: fault.field });
    else if (fault.job !== undefined) goTo({ view: undefined, task: undefined, job: fault.job, field: fault.field });
    else goTo({ view: 'settings', field: fault.field });
  };
  return (
    <li data-bad={fault.warning ? undefined : ''}>
      <button type="button" onClick={go}>{fault.task ?? fault.job ?? t('faults.schedule')}</button>
      <small>{fault.warning ? t('faults.warning') : fault.path}</small>
      <p>{message}{remedy && <span>{remedy}</span>}</p>
    </li>
  );
}

import { useTranslation } from 'react-i18next';
import { type DocFault, faultText, taskOf } from '@/document';
import { useDoc, useEditor } from '../context';
import { fieldOf, placeOf } from '../inspector/faults';
import { useFieldWords } from './words';
import styles from './Publish.module.css';

/** What is wrong, each with a way to its place. */
export function FaultList({ faults, onGo }: { faults: readonly DocFault[]; onGo: () => void }) {
  const { t } = useTranslation('editor');
  const bad = faults.filter((f) => !f.warning);
  const warnings = faults.filter((f) => f.warning);
  if (faults.length === 0) return null;
  return (
    <section>
      <h3 className={styles.head}>
        {bad.length > 0 ? t('faults.title', { count: bad.length }) : t('faults.warnings', { count: warnings.length })}
      </h3>
      <ul className={styles.faults}>
        {[...bad, ...warnings].map((fault) => (
          <Row key={`${fault.code} ${fault.path}`} fault={fault} onGo={onGo} />
        ))}
      </ul>
    </section>
  );
}

function Row({ fault, onGo }: { fault: DocFault; onGo: () => void }) {
  const { t } = useTranslation('editor');
  const { t: words } = useTranslation('document');
  const { goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  const { place, labelAt } = useFieldWords();
  const { message, remedy } = faultText(words, fault);
  const { task, job } = placeOf(doc, fault);
  const field = fieldOf(fault) || undefined;
  const go = () => {
    onGo();
    if (task !== undefined) goTo({ view: undefined, task, job: undefined, field });
    else if (job !== undefined) goTo({ view: undefined, task: undefined, job, field });
    else goTo({ view: 'settings', field });
  };
  const at = labelAt(field, task === undefined ? undefined : taskOf(doc, task)?.handler);
  return (
    <li data-bad={fault.warning ? undefined : ''}>
      <button type="button" onClick={go}>
        {place(doc, fault)}
      </button>
      <small>{[at, fault.warning && t('faults.warning')].filter(Boolean).join(' · ')}</small>
      <p>
        {message}
        {remedy && <span>{remedy}</span>}
      </p>
    </li>
  );
}

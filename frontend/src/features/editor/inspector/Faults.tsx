import { useTranslation } from 'react-i18next';
import { type DocFault, faultText } from '@/document';
import styles from './Inspector.module.css';

/** What is wrong and belongs to no field that is shown. */
export function Faults({ faults }: { faults: readonly DocFault[] }) {
  const { t } = useTranslation('document');
  if (faults.length === 0) return null;
  return (
    <ul className={styles.faults}>
      {faults.map((fault, i) => {
        const { message, remedy } = faultText(t, fault);
        return (
          <li key={i} data-warning={fault.warning || undefined}>
            {message}
            {remedy && <span> {remedy}</span>}
          </li>
        );
      })}
    </ul>
  );
}

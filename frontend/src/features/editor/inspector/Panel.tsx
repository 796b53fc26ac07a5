import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type DocFault, faultKind, faultText } from '@/document';
import { Icon } from './fields/Text';
import styles from './Inspector.module.css';

/** The head of a panel: its title, and a line about its subject. */
export function Head({ title, children, onClose }: { title: string; children?: ReactNode; onClose?: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.head}>
      <h2>{title}</h2>
      {onClose && (
        <button type="button" className={styles.close} aria-label={t('close')} onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
      {children && <p>{children}</p>}
    </div>
  );
}

/** A list of faults, for faults that no field shows. */
export function Faults({ faults }: { faults: readonly DocFault[] }) {
  const { t } = useTranslation('document');
  if (faults.length === 0) return null;
  return (
    <ul className={styles.faults}>
      {faults.map((fault, i) => {
        const { message, remedy } = faultText(t, fault);
        return (
          <li key={i} data-warning={faultKind(fault) !== 'wrong' || undefined}>
            {message}
            {remedy && <span> {remedy}</span>}
          </li>
        );
      })}
    </ul>
  );
}

interface Props {
  title?: string;
  /** The number of its fields that have a value. */
  count?: number;
  /** One of its fields has a fault: it opens. */
  wrong?: boolean;
  children: ReactNode;
}

/** Rarely used fields. They are folded unless a field has a value or a fault. */
export function More({ title, count = 0, wrong = false, children }: Props) {
  const { t } = useTranslation('inspector');
  const [picked, setPicked] = useState<boolean>();
  const [first] = useState(count > 0);
  const open = picked ?? (first || wrong);
  return (
    <details
      className={styles.more}
      open={open}
      onToggle={(event) => {
        if (event.currentTarget.open !== open) setPicked(event.currentTarget.open);
      }}
    >
      <summary>
        {title ?? t('more')}
        {!open && (wrong || count > 0) && (
          <small data-wrong={wrong || undefined}>{wrong ? t('moreWrong') : t('moreSet', { count })}</small>
        )}
      </summary>
      {open && <div className={styles.inner}>{children}</div>}
    </details>
  );
}

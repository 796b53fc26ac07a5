import { useEffect, useId, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { faultText } from '@/document';
import { useFaultsAt } from '../faults';
import styles from './Field.module.css';

interface Props {
  label: string;
  name: string;
  note?: string;
  checked: boolean;
  mixed?: boolean;
  onChange: (checked: boolean) => void;
}

/** Yes or no. */
export function Check({ label, name, note, checked, mixed = false, onChange }: Props) {
  const { t } = useTranslation('document');
  const id = useId();
  const box = useRef<HTMLInputElement>(null);
  const faults = useFaultsAt(name);
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <div className={styles.check} data-field={name}>
      <input
        ref={box}
        id={id}
        type="checkbox"
        checked={checked}
        aria-describedby={note || faults.length > 0 ? `${id}-about` : undefined}
        onChange={(event) => {
          onChange(event.currentTarget.checked);
        }}
      />
      <label htmlFor={id}>{label}</label>
      {(note || faults.length > 0) && (
        <p id={`${id}-about`} className={styles.note}>
          {note}
          {faults.map((fault, i) => (
            <span key={i} className={styles.fault}>
              {faultText(t, fault).message}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}

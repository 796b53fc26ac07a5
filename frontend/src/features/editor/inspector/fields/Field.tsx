import { type FocusEvent, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { joinSentences } from '@/api/problem';
import { faultText } from '@/document';
import { useEditor } from '../../context';
import { useFaultsAt } from '../faults';
import styles from './Field.module.css';

/** What ties a control to its label, notes and faults. */
export interface Control {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  'aria-required'?: boolean;
}

export interface FieldProps {
  label: string;
  /** The field of the document, as faults name it: `timeout`, `params.command`. */
  name: string;
  /** What is said beside the label. */
  aside?: ReactNode;
  /** What was understood, or what there is to know just now. */
  note?: ReactNode;
  /** What the field means: a quiet line or two. */
  help?: string;
  /** Why what is being typed cannot be taken. */
  refusal?: string;
  required?: boolean;
  /** Fields inside this one that show their own faults. */
  inside?: readonly string[];
}

/** A label, a control, what is to be known about it, and what is wrong with it. Leaving it ends what is undone as one step. */
export function Field({
  label,
  name,
  aside,
  note,
  help,
  refusal,
  required,
  inside,
  group,
  children,
}: FieldProps & {
  /** It holds several controls, each with a label of its own. */
  group?: boolean;
  children: (control: Control) => ReactNode;
}) {
  const { t } = useTranslation('document');
  const { store } = useEditor();
  const id = useId();
  const faults = useFaultsAt(name, inside);
  const wrong = refusal !== undefined || faults.some((fault) => !fault.warning);
  const says = note !== undefined && note !== '';
  const about = [
    help ? `${id}-help` : '',
    says ? `${id}-note` : '',
    refusal !== undefined || faults.length > 0 ? `${id}-fault` : '',
  ]
    .filter(Boolean)
    .join(' ');
  const left = (event: FocusEvent) => {
    if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget))
      store.getState().seal();
  };
  const shared = { 'aria-describedby': about || undefined };
  const meaning = help && (
    <p id={`${id}-help`} className={styles.help}>
      {help}
    </p>
  );
  const role = group ? 'group' : 'presentation';
  const frame = group ? { 'aria-labelledby': `${id}-label`, ...shared } : {};
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- it hears when the focus leaves what is inside
    <div role={role} {...frame} className={styles.field} data-field={name} onBlur={left}>
      <div className={styles.label}>
        {group ? <span id={`${id}-label`}>{label}</span> : <label htmlFor={id}>{label}</label>}
        {aside !== undefined && <small>{aside}</small>}
      </div>
      {group && meaning}
      {children({ id, ...shared, 'aria-invalid': wrong || undefined, 'aria-required': required || undefined })}
      {!group && meaning}
      {says && (
        <p id={`${id}-note`} className={styles.note}>
          {note}
        </p>
      )}
      {(refusal !== undefined || faults.length > 0) && (
        <div id={`${id}-fault`}>
          {refusal !== undefined && <p className={styles.fault}>{refusal}</p>}
          {faults.map((fault, i) => {
            const { message, remedy } = faultText(t, fault);
            return (
              <p key={i} className={styles.fault} data-warning={fault.warning || undefined}>
                {joinSentences(message, remedy)}
              </p>
            );
          })}
        </div>
      )}
    </div>
  );
}

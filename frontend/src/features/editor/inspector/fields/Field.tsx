import { type FocusEvent, type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { joinSentences } from '@/api/problem';
import { type DocFault, faultKind, faultText } from '@/document';
import { useEditor } from '../../context';
import { useFaultsAt } from '../faults';
import styles from './Field.module.css';

/** The attributes that tie a control to its label, notes and faults. */
export interface Control {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: boolean;
  'aria-required'?: boolean;
}

/** The parts that every field shows around its control. */
export interface FieldProps {
  label: string;
  /** The field of the document, as faults name it: `timeout`, `params.command`. */
  name: string;
  /** A short text beside the label. */
  aside?: ReactNode;
  /** How the typed value was read, or which value applies at the moment. */
  note?: ReactNode;
  /** What the field means, in a line or two. */
  help?: string;
  /** Why the typed value is not accepted. */
  refusal?: string;
  required?: boolean;
  /** The names of fields inside this one that show their own faults. */
  inside?: readonly string[];
}

/** A control with its label, notes, help and faults. When it loses the focus, the step of undo ends. */
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
  const { store } = useEditor();
  const id = useId();
  const faults = useFaultsAt(name, inside);
  const hasNote = note !== undefined && note !== '';
  const shared = {
    'aria-describedby': describedBy(id, { help: Boolean(help), note: hasNote, fault: hasFault(refusal, faults) }),
  };
  const onBlur = (event: FocusEvent) => {
    if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget))
      store.getState().endGesture();
  };
  const helpText = help && (
    <p id={`${id}-help`} className={styles.help}>
      {help}
    </p>
  );
  const control: Control = {
    id,
    ...shared,
    'aria-invalid': isWrong(refusal, faults) || undefined,
    'aria-required': required || undefined,
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions -- it handles blur of the controls inside
    <div
      role={group ? 'group' : 'presentation'}
      {...(group ? { 'aria-labelledby': `${id}-label`, ...shared } : {})}
      className={styles.field}
      data-field={name}
      data-empty={isOnlyEmpty(refusal, faults)}
      onBlur={onBlur}
    >
      <div className={styles.label}>
        {group ? <span id={`${id}-label`}>{label}</span> : <label htmlFor={id}>{label}</label>}
        {aside !== undefined && <small>{aside}</small>}
      </div>
      {group && helpText}
      {children(control)}
      {!group && helpText}
      {hasNote && (
        <p id={`${id}-note`} className={styles.note}>
          {note}
        </p>
      )}
      {hasFault(refusal, faults) && <FieldFaults id={`${id}-fault`} refusal={refusal} faults={faults} />}
    </div>
  );
}

/** The ids of the parts that describe a control; undefined if there are none. */
function describedBy(id: string, parts: Readonly<Record<'help' | 'note' | 'fault', boolean>>): string | undefined {
  const shown = Object.entries(parts).filter(([, there]) => there);
  return shown.map(([part]) => `${id}-${part}`).join(' ') || undefined;
}

const hasFault = (refusal: string | undefined, faults: readonly DocFault[]) =>
  refusal !== undefined || faults.length > 0;
const isWrong = (refusal: string | undefined, faults: readonly DocFault[]) =>
  refusal !== undefined || faults.some((fault) => !fault.warning);

/** Whether nothing is wrong with the value, except that it may be missing. */
const isOnlyEmpty = (refusal: string | undefined, faults: readonly DocFault[]) =>
  (refusal === undefined && faults.every((fault) => faultKind(fault) !== 'wrong')) || undefined;

/** Why the typed value is refused, and the faults of the document at this field. */
function FieldFaults({ id, refusal, faults }: { id: string; refusal?: string; faults: readonly DocFault[] }) {
  const { t } = useTranslation('document');
  return (
    <div id={id}>
      {refusal !== undefined && <p className={styles.fault}>{refusal}</p>}
      {faults.map((fault, i) => {
        const { message, remedy } = faultText(t, fault);
        return (
          <p key={i} className={styles.fault} data-warning={faultKind(fault) !== 'wrong' || undefined}>
            {joinSentences(message, remedy)}
          </p>
        );
      })}
    </div>
  );
}

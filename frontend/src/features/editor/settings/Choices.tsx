import { type ReactNode, useId } from 'react';
import { useEditor } from '../context';
import styles from './Settings.module.css';

interface Choice {
  value: string;
  title: string;
  about: string;
  picture?: ReactNode;
}

/** Some ways of which one holds, each with what it means. */
export function Choices({
  label,
  name,
  value,
  choices,
  onPick,
}: {
  label: string;
  name: string;
  value: string;
  choices: readonly Choice[];
  onPick: (value: string) => void;
}) {
  const { store } = useEditor();
  const id = useId();
  const pick = (next: string) => {
    onPick(next);
    store.getState().seal();
  };
  return (
    <fieldset className={styles.choices} data-field={name}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={id}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => {
              pick(choice.value);
            }}
            aria-describedby={`${id}-${choice.value}`}
          />
          <b>{choice.title}</b>
          {choice.picture}
          <small id={`${id}-${choice.value}`}>{choice.about}</small>
        </label>
      ))}
    </fieldset>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Conflict, taskOf } from '@/document';
import { useDoc } from '../context';
import { useSession } from './session';
import { differingParts, useFieldTexts, valueText } from './fieldTexts';
import styles from './Conflicts.module.css';

const SIDES = ['mine', 'theirs'] as const;
/** How much of a long text is shown. */
const LIMIT = { lines: 10, letters: 600 };

/** The conflicts: for each the base value, both new values, and the buttons that choose one of them. */
export function Conflicts() {
  const { t } = useTranslation('editor');
  const {
    draft: { conflicts, resolveConflict },
  } = useSession();
  return (
    <div className={styles.conflicts}>
      <p className="hg-quiet">{t('conflict.detail')}</p>
      {conflicts.map((conflict) => (
        <ConflictRow
          key={conflict.path}
          conflict={conflict}
          onTake={(side) => {
            resolveConflict(conflict, side);
          }}
        />
      ))}
    </div>
  );
}

function ConflictRow({ conflict, onTake }: { conflict: Conflict; onTake: (side: 'mine' | 'theirs') => void }) {
  const { t } = useTranslation('editor');
  const { task, job, field, base, mine, theirs } = conflict;
  const { label, values: textsOf, itemText } = useFieldTexts();
  const handler = useDoc((s) => (task === undefined ? undefined : taskOf(s.doc, task)?.handler));
  const title = [task ?? job ?? t('changes.schedule'), field !== undefined && label(field, handler)]
    .filter(Boolean)
    .join(' · ');
  const values =
    field === undefined
      ? [base, mine, theirs].map((item) => (item === undefined ? undefined : itemText(item, handler)))
      : [base, mine, theirs];
  const texts = field === undefined ? differingParts(values, LIMIT) : textsOf(field, values, LIMIT);
  return (
    <fieldset className={styles.one}>
      <legend>{title}</legend>
      <Side name={t('conflict.base')} text={texts[0]} all={valueText(values[0])} />
      {SIDES.map((side, i) => (
        <Side key={side} name={t(`conflict.${side}`)} text={texts[i + 1]} all={valueText(values[i + 1])}>
          <button
            type="button"
            aria-label={t(`conflict.take_${side}`, { what: title })}
            onClick={() => {
              onTake(side);
            }}
          >
            {t(`conflict.take.${side}`)}
          </button>
        </Side>
      ))}
    </fieldset>
  );
}

function Side({
  name,
  text,
  all,
  children,
}: {
  name: string;
  text: string | undefined;
  all: string;
  children?: ReactNode;
}) {
  const { t } = useTranslation('editor');
  return (
    <div className={styles.side}>
      <span>{name}</span>
      {text ? (
        <pre title={text === all ? undefined : all}>{text}</pre>
      ) : (
        <em>{t(text === undefined ? 'conflict.none' : 'conflict.empty')}</em>
      )}
      {children}
    </div>
  );
}

import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { type Conflict, taskOf } from '@/document';
import { useDoc } from '../context';
import { useSession } from './session';
import { differing, useFieldWords, valueText } from './fieldTexts';
import styles from './Conflicts.module.css';

const SIDES = ['mine', 'theirs'] as const;
/** Of long texts so much of what differs is shown. */
const ROOM = { lines: 10, letters: 600 };

/** Where both sides changed the same thing: what it was, what each made of it, and the choice between them. */
export function Conflicts() {
  const { t } = useTranslation('editor');
  const {
    draft: { conflicts, resolveConflict },
  } = useSession();
  return (
    <div className={styles.conflicts}>
      <p className="hg-quiet">{t('conflict.detail')}</p>
      {conflicts.map((conflict) => (
        <One
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

function One({ conflict, onTake }: { conflict: Conflict; onTake: (side: 'mine' | 'theirs') => void }) {
  const { t } = useTranslation('editor');
  const { task, job, field, base, mine, theirs } = conflict;
  const { label, values: words, whole } = useFieldWords();
  const handler = useDoc((s) => (task === undefined ? undefined : taskOf(s.doc, task)?.handler));
  const what = [task ?? job ?? t('changes.schedule'), field !== undefined && label(field, handler)]
    .filter(Boolean)
    .join(' · ');
  const values =
    field === undefined
      ? [base, mine, theirs].map((item) => (item === undefined ? undefined : whole(item, handler)))
      : [base, mine, theirs];
  const texts = field === undefined ? differing(values, ROOM) : words(field, values, ROOM);
  return (
    <fieldset className={styles.one}>
      <legend>{what}</legend>
      <Side name={t('conflict.base')} text={texts[0]} all={valueText(values[0])} />
      {SIDES.map((side, i) => (
        <Side key={side} name={t(`conflict.${side}`)} text={texts[i + 1]} all={valueText(values[i + 1])}>
          <button
            type="button"
            aria-label={t(`conflict.take_${side}`, { what })}
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

import { Popover, Tooltip, UnstyledButton } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useId, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useDoc } from '../context';
import { initials, type Other, shownCount } from './people';
import { useOthers } from './PresenceProvider';
import styles from './People.module.css';

/** How many initials the header shows, in a wide window and in a narrow one. */
const SHOWN = { wide: 5, narrow: 2 };

/** The initials of the others who have the schedule open. Press them for the list of all. */
export function People() {
  const { t } = useTranslation('editor');
  const { others, more } = useOthers();
  const title = useId();
  const [opened, setOpened] = useState(false);
  const narrow = useMediaQuery('(max-width: 1100px)', undefined, { getInitialValueInEffect: false }) ?? false;
  const sentenceOf = useSentence();
  if (others.length === 0) return null;
  const shown = others.slice(0, shownCount(others.length + more, narrow ? SHOWN.narrow : SHOWN.wide));
  const rest = others.length - shown.length + more;
  return (
    <Popover position="bottom-end" shadow="lg" width={300} trapFocus opened={opened} onChange={setOpened}>
      <Popover.Target>
        <UnstyledButton
          className={styles.people}
          onClick={() => {
            setOpened(!opened);
          }}
        >
          {shown.map((other) => (
            <Tooltip key={other.name} label={sentenceOf(other)} disabled={opened}>
              <span>
                <Initials of={other} />
                <span className="hg-visually-hidden">{t('presence.spoken', { sentence: sentenceOf(other) })}</span>
              </span>
            </Tooltip>
          ))}
          {rest > 0 && (
            <Tooltip label={t('presence.more', { count: rest })} disabled={opened}>
              <span>
                <span className={styles.rest} aria-hidden="true">
                  +{rest}
                </span>
                <span className="hg-visually-hidden">{t('presence.more', { count: rest })}</span>
              </span>
            </Tooltip>
          )}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown className={styles.list} aria-labelledby={title}>
        <h2 id={title}>{t('presence.title')}</h2>
        <List others={others} />
        {more > 0 && <p className="hg-quiet">{t('presence.more', { count: more })}</p>}
      </Popover.Dropdown>
    </Popover>
  );
}

/** The words for a person: who it is, and what they do. */
function useSentence(): (other: Other) => string {
  const { t } = useTranslation('editor');
  return ({ name, self, changes }) => {
    if (self) return t('presence.self');
    return changes > 0 ? t('presence.editing', { name, count: changes }) : t('presence.open', { name });
  };
}

/** The initials of a person: filled while they edit. */
function Initials({ of: { name, changes, self } }: { of: Other }) {
  return (
    <span className={styles.initials} data-editing={(changes > 0 && !self) || undefined} aria-hidden="true">
      {initials(name)}
    </span>
  );
}

/** How many chosen tasks of a person are named. */
const NAMED = 3;

function List({ others }: { others: readonly Other[] }) {
  const jobs = useDoc((s) => s.doc.jobs);
  const names = useMemo(
    () => new Map(jobs.flatMap((job) => (job.tasks ?? []).map((task) => [task.key, task.title ?? task.key] as const))),
    [jobs],
  );
  return (
    <ul>
      {others.map((other) => (
        <Row key={other.name} other={other} names={names} />
      ))}
    </ul>
  );
}

function Row({ other, names }: { other: Other; names: ReadonlyMap<string, string> }) {
  const { t } = useTranslation('editor');
  const sentence = useSentence()(other);
  // A key that this document does not have belongs to the other draft.
  const chosen = other.tasks.flatMap((key) => names.get(key) ?? []);
  const named = chosen.slice(0, NAMED).join(', ');
  return (
    <li>
      <Initials of={other} />
      <div>
        {sentence}
        {named && (
          <small>
            {chosen.length > NAMED
              ? t('presence.chosenMore', { tasks: named, count: chosen.length - NAMED })
              : t('presence.chosen', { tasks: named })}
          </small>
        )}
      </div>
    </li>
  );
}

import { Button, CloseButton } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isOverPage } from '@/ui';
import { useEditor, useFaults } from '../context';
import { fieldOf } from '../inspector/faults';
import { leftOfWalk, nextOfWalk, type Walk } from './faultGroups';
import styles from './FaultWalk.module.css';

const KEY = 'F8';

interface Props {
  walk: Walk;
  onEnd: () => void;
  /** Opens the dialog for publishing. */
  onPublish: () => void;
}

/**
 * A bar that leads through equal faults of several tasks: F8, its button, or Enter in a field of one line goes to the
 * next task whose field is still empty.
 */
export function FaultWalk({ walk, onEnd, onPublish }: Props) {
  const { t } = useTranslation('editor');
  const { goTo } = useEditor();
  const faults = useFaults();
  const [at, setAt] = useState(walk.start);
  const left = leftOfWalk(walk, faults);
  const step = (by: 1 | -1) => {
    const next = nextOfWalk(walk, at, by, faults);
    const fault = next === undefined ? undefined : walk.faults[next];
    if (next === undefined || !fault) return;
    setAt(next);
    goTo({ task: fault.task, job: undefined, field: fieldOf(fault) || undefined }, { replace: true });
  };
  useWalkKeys(walk.faults[at]?.field, step);
  return (
    <section className={styles.bar} aria-label={t('walk.label')} data-walk="">
      <p role="status">
        {left === 0 ? (
          t('walk.done')
        ) : (
          <>
            {walk.at && <b>{walk.at}</b>} <bdi>{walk.faults[at]?.task}</bdi>{' '}
            <span>{t('walk.left', { count: left })}</span>
          </>
        )}
      </p>
      {left === 0 ? (
        <Button
          size="xs"
          onClick={() => {
            onEnd();
            onPublish();
          }}
        >
          {t('walk.publish')}
        </Button>
      ) : (
        <Button
          size="xs"
          aria-keyshortcuts={KEY}
          onClick={() => {
            step(1);
          }}
        >
          {t('walk.next')} <kbd>{KEY}</kbd>
        </Button>
      )}
      <CloseButton size="sm" aria-label={t('walk.end')} onClick={onEnd} />
    </section>
  );
}

/** F8 and Shift+F8 anywhere on the page, and Enter in a text field of one line that has the walk's field. */
function useWalkKeys(field: string | undefined, step: (by: 1 | -1) => void): void {
  const latest = useRef({ field, step });
  useEffect(() => {
    latest.current = { field, step };
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isNext = event.key === KEY || (event.key === 'Enter' && isInField(event.target, latest.current.field));
      if (!isNext || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isOverPage(event.target))
        return;
      event.preventDefault();
      latest.current.step(event.shiftKey ? -1 : 1);
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
    };
  }, []);
}

const isInField = (target: EventTarget | null, field: string | undefined) =>
  target instanceof HTMLInputElement && target.closest<HTMLElement>('[data-field]')?.dataset.field === field;

import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Batch } from '@/live';
import { mood, type Summary } from './summary';
import { troubleWords } from './Notice';

/** Tells screen readers, politely, what becomes of the batch and what fails; not every task. */
export function Announcer({ batch, summary }: { batch: Batch; summary: Summary }) {
  const { t } = useTranslation('batch');
  const state = mood(batch);
  const bad = summary.failed.length + summary.held.length;
  const before = useRef({ state, bad });
  const [words, setWords] = useState('');
  useEffect(() => {
    const was = before.current;
    before.current = { state, bad };
    if (was.state === state && bad <= was.bad) return;
    const trouble = bad > 0 ? troubleWords(summary, t as never) : '';
    setWords(
      [was.state === state ? '' : t('announce', { state: t(`mood.${state}`) }), trouble].filter(Boolean).join(' '),
    );
  }, [state, bad, summary, t]);
  return (
    <div className="hg-visually-hidden" role="status" aria-live="polite">
      {words}
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { type Clip, type Doc, type LostNeed, lostNeeds, pasteBelowNeeds } from '@/document';
import { toast } from '@/ui';
import { useEditor } from './context';

/** How many dependencies a notice names. */
const NAMED = 6;

/**
 * Says which dependencies of pasted tasks were left out. If the tasks can have some of them further down, a button
 * pastes them there instead, as the same step of undo.
 */
export function useLostNeeds(): (before: Doc, clip: Clip, into: string | undefined) => void {
  const { t } = useTranslation('document');
  const { store } = useEditor();
  return (before, clip, into) => {
    const lost = lostNeeds(before, clip, into);
    if (lost.length === 0) return;
    const named = (some: readonly LostNeed[]) =>
      some
        .slice(0, NAMED)
        .map(({ need, task }) => `${need} → ${task}`)
        .join(', ') + (some.length > NAMED ? ' …' : '');
    const above = lost.filter(({ exists }) => exists);
    const missing = lost.filter(({ exists }) => !exists);
    const { past } = store.getState();
    const instead = () => {
      const { past: now, undo, apply } = store.getState();
      if (now !== past) return; // something was edited since
      undo();
      apply(pasteBelowNeeds(before, clip, into));
    };
    toast(
      [
        ...(above.length > 0 ? [t('lost.above', { count: above.length, names: named(above) })] : []),
        ...(missing.length > 0 ? [t('lost.missing', { count: missing.length, names: named(missing) })] : []),
      ].join(' '),
      above.length > 0 ? { action: { label: t('lost.restore'), run: instead } } : {},
    );
  };
}

import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { type Doc, type DocFault, faultText } from '@/document';
import { useEditor, useFaults } from '../context';
import type { FaultWords, Parts } from './desk';

/** Keeps what is wrong with tasks as words by their keys, so that each card hears of its own alone. */
export function useFaultWords({ desk }: Parts): void {
  const { store } = useEditor();
  const faults = useFaults();
  const { t } = useTranslation('document');
  useEffect(() => {
    const words = new Map<string, FaultWords>();
    const { doc } = store.getState();
    for (const fault of faults) {
      const task = fault.task ?? taskAt(doc, fault);
      if (task === undefined) continue;
      const { message, remedy } = faultText(t, fault);
      const text = [message, remedy].filter(Boolean).join(' ');
      const before = words.get(task);
      words.set(task, {
        text: before ? `${before.text}\n${text}` : text,
        warning: (before?.warning ?? true) && fault.warning === true,
      });
    }
    desk.setState({ faults: words });
  }, [faults, desk, store, t]);
}

const PLACE = /^jobs\[(\d+)\]\.tasks\[(\d+)\]/;

/** The task that the server means: it names places, not keys. */
function taskAt(doc: Doc, { path }: DocFault): string | undefined {
  const [, job, task] = PLACE.exec(path) ?? [];
  return task === undefined ? undefined : doc.jobs[Number(job)]?.tasks?.[Number(task)]?.key;
}

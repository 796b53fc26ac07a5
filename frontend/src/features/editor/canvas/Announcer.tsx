import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { didText } from '@/document';
import { useEditor } from '../context';
import { useDesk } from './desk';

/** Says every change of the document, and what else is told to those who listen. */
export function Announcer() {
  const { t } = useTranslation('document');
  const { t: own } = useTranslation('canvas');
  const { store } = useEditor();
  const said = useDesk((s) => s.said);
  const [change, setChange] = useState('');
  useEffect(
    () =>
      store.subscribe((now, before) => {
        if (now.past === before.past) return;
        const label = now.past.at(-1)?.label;
        const undone = now.future.length > before.future.length ? now.future[0]?.label : undefined;
        if (undone) setChange(own('said.undone', { what: didText(t, undone) }));
        else if (label && now.past.length >= before.past.length) setChange(didText(t, label));
      }),
    [store, t, own],
  );
  return (
    <>
      <p className="hg-visually-hidden" role="status" data-said="">
        {change}
      </p>
      <p className="hg-visually-hidden" role="status" aria-live="assertive">
        {said}
      </p>
    </>
  );
}

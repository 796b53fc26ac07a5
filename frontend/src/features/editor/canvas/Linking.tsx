import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { note, noteText, offerText, refusalText, refuse } from '@/document';
import { useInside, useStage } from '@/scene';
import { useDoc } from '../context';
import { useDesk, useParts } from './desk';
import { Tip } from './Tip';

/** While a dependency is drawn by keys: says at each card, and to those who listen, whether it may end there. */
export function Linking() {
  const from = useDesk((s) => s.linking);
  const active = useStage((s) => s.active);
  return from !== undefined && active !== undefined && active !== from ? (
    <Judged key={active} from={from} to={active} />
  ) : null;
}

function Judged({ from, to }: { from: string; to: string }) {
  const { t } = useTranslation('document');
  const { t: own } = useTranslation('canvas');
  const { desk } = useParts();
  const { layout, toWindow } = useInside();
  const doc = useDoc((s) => s.doc);
  const box = layout.boxes.get(to);
  const refusal = refuse(doc, from, to);
  const known = note(doc, from, to);
  const offer = refusal && offerText(t, refusal);
  const text = refusal ? refusalText(t, refusal) : known ? noteText(t, known) : own('link.allowed', { from, to });
  const more = offer && own('link.instead', { offer });
  useEffect(() => {
    if (box) desk.setState({ said: [text, more].filter(Boolean).join(' ') });
  }, [desk, box, text, more]);
  if (!box) return null;
  const place = toWindow(box);
  return (
    <Tip
      client={{ x: place.x + 12, y: place.y + place.height - 8 }}
      text={text}
      refused={Boolean(refusal)}
      more={more}
    />
  );
}

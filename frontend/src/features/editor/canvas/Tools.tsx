import { useTranslation } from 'react-i18next';
import { removeRedundant } from '@/document';
import { ToolButton } from '@/scene';
import { toast } from '@/ui';
import { useEditor } from '../context';
import { useParts } from './desk';

const TIDY = 'M3 13l6-6M10.5 2.5v3M9 4h3M13 8v2M12 9h2M5 2.5v2M4 3.5h2';
const KEYS = 'M1.5 4.5h13v7h-13zM4 7h.1M6.7 7h.1M9.3 7h.1M12 7h.1M4.5 9.3h7';

/** What the canvas offers over the graph, beside what every scene does. */
export function Tools() {
  const { t } = useTranslation('canvas');
  const { desk } = useParts();
  const { store } = useEditor();
  const tidy = () => {
    const { doc, apply } = store.getState();
    const command = removeRedundant(doc);
    apply(command);
    if (!command) toast(t('tools.redundantNone'));
  };
  return (
    <>
      <ToolButton label={t('tools.redundant')} hint={t('tools.redundantHint')} sign={TIDY} act={tidy} />
      <ToolButton
        label={t('tools.keys')}
        hint="?"
        sign={KEYS}
        act={() => {
          desk.setState({ keys: true });
        }}
      />
    </>
  );
}

import { Button, CopyButton as Copy } from '@mantine/core';
import { useTranslation } from 'react-i18next';

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('common');
  return (
    <Copy value={text}>
      {({ copied, copy }) => (
        <Button size="compact-sm" onClick={copy}>
          {t(copied ? 'copied' : 'copy')}
        </Button>
      )}
    </Copy>
  );
}

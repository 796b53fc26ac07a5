import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { useNewSchedule } from '@/features/create';
import { Empty, useDocumentTitle } from '@/ui';

/** The page of a name that no schedule has: it may be made. */
export function NoSchedule({ name, onMade }: { name: string; onMade: () => void }) {
  const { t } = useTranslation('editor');
  const title = t('missing.title', { name });
  const create = useNewSchedule(onMade);
  useDocumentTitle(title);
  return (
    <Empty title={title} whole>
      <p>{t('missing.detail')}</p>
      <Button
        variant="filled"
        onClick={() => {
          create.open({ name });
        }}
      >
        {t('missing.make')}
      </Button>
      <Link to="/">{t('home')}</Link>
      {create.node}
    </Empty>
  );
}

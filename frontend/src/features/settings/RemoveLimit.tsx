import { useTranslation } from 'react-i18next';
import { api } from '@/api/client';
import { type Limit, limitKeys } from '@/api/limits';
import { RemoveDialog } from '@/ui';

/** Removes a limit or a pool. */
export function RemoveLimit({ limit: { kind, name }, onClose }: { limit: Limit; onClose: () => void }) {
  const { t } = useTranslation('settings');
  const query = { kind, name: kind === 'server' ? undefined : name };
  return (
    <RemoveDialog
      title={t(`remove.title.${kind}`, { name })}
      go={t('remove.go')}
      done={t(`removed.${kind}`, { name })}
      remove={() => api.DELETE('/api/v1/limits', { params: { query } })}
      queryKey={limitKeys.all}
      onClose={onClose}
    >
      {t(kind === 'pool' ? 'remove.pool' : 'remove.limit')}
    </RemoveDialog>
  );
}

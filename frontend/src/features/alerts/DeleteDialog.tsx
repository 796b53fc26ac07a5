import { useTranslation } from 'react-i18next';
import { keys } from '@/api/queries';
import { RemoveDialog } from '@/ui';
import { deleteDocument, type DocumentKind } from './calls';

/** Deletes a rule or a channel. The server refuses a channel that rules name. */
export function DeleteDialog({ kind, name, onClose }: { kind: DocumentKind; name: string; onClose: () => void }) {
  const { t } = useTranslation('alerts');
  return (
    <RemoveDialog
      title={t(`delete.${kind}`, { name })}
      go={t('delete.go')}
      done={t('delete.done', { name })}
      remove={() => deleteDocument(kind, name)}
      queryKey={keys.alerts}
      onClose={onClose}
    >
      {t(`delete.${kind}Text`)}
    </RemoveDialog>
  );
}

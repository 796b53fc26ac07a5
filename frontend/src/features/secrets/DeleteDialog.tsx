import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, ApiError } from '@/api/client';
import { secretKeys } from '@/api/secrets';
import { RemoveDialog } from '@/ui';

interface Props {
  kind: 'secret' | 'connection';
  name: string;
  onClose: () => void;
}

/** Deletes a secret or a connection. If it is used, the server says by what, and a person may insist. */
export function DeleteDialog({ kind, name, onClose }: Props) {
  const { t } = useTranslation('secrets');
  const [force, setForce] = useState(false);
  const query = { force };
  return (
    <RemoveDialog
      title={t(`delete.${kind}`, { name })}
      go={t('delete.go')}
      done={t('delete.done', { name })}
      remove={() =>
        kind === 'secret'
          ? api.DELETE('/api/v1/secrets/{secret}', { params: { path: { secret: name }, query } })
          : api.DELETE('/api/v1/connections/{name}', { params: { path: { name }, query } })
      }
      queryKey={kind === 'secret' ? secretKeys.secrets : secretKeys.connections}
      onClose={onClose}
      more={(error) =>
        (force || (error instanceof ApiError && error.status === 409)) && (
          <Checkbox
            mt={12}
            label={t('delete.force')}
            checked={force}
            onChange={(event) => {
              setForce(event.currentTarget.checked);
            }}
          />
        )
      }
    >
      {t(`delete.${kind}Text`)}
    </RemoveDialog>
  );
}

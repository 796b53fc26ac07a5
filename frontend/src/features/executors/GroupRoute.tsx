import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, data, type Schemas } from '@/api/client';
import { ROUTES } from '@/api/definition';
import { executorGroupsQuery, keys } from '@/api/queries';
import { Ago, Dialog, ErrorNote, NeedsServer, toast } from '@/ui';
import { FIELD_ORDER } from './executors';
import styles from './Executors.module.css';

type Group = Schemas['ExecutorGroup'];

/** How a group chooses the executor of a task, and for administrators a button to change that. */
export function GroupRoute({ group: name, admin }: { group: string; admin: boolean }) {
  const { t } = useTranslation(['executors', 'inspector']);
  const { data: groups } = useQuery(executorGroupsQuery);
  const [changing, setChanging] = useState(false);
  const group = groups?.items.find((one) => one.name === name);
  if (!group) return null;
  return (
    <div className={styles.route}>
      {t('executors:route.now', { route: t(`inspector:route.${group.route}`, { defaultValue: group.route }) })}
      {admin && (
        <NeedsServer>
          <Button
            size="compact-sm"
            onClick={() => {
              setChanging(true);
            }}
          >
            {t('executors:route.change')} <span className="hg-visually-hidden">{name}</span>
          </Button>
        </NeedsServer>
      )}
      {group.setBy && (
        <small>
          {t('executors:route.setBy', { person: group.setBy })} {group.setAt && <Ago at={group.setAt} />}
          {group.reason && ` · ${group.reason}`}
        </small>
      )}
      {changing && (
        <RouteDialog
          group={group}
          onClose={() => {
            setChanging(false);
          }}
        />
      )}
    </div>
  );
}

function RouteDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation(['executors', 'common', 'inspector']);
  const client = useQueryClient();
  const [route, setRoute] = useState(group.route);
  const [reason, setReason] = useState('');
  const change = useMutation({
    mutationFn: () =>
      data(
        api.PUT('/api/v1/executor-groups/{name}', {
          params: { path: { name: group.name } },
          body: { route, reason: reason.trim() || undefined },
        }),
      ),
    onSuccess: () => {
      toast(t('executors:route.done', { name: group.name, route: t(`inspector:route.${route}`) }));
      onClose();
    },
    onSettled: () => client.invalidateQueries({ queryKey: keys.executorGroups }),
  });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('executors:route.title', { name: group.name })}
      summary={t('executors:route.about')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form="group-route" variant="filled" loading={change.isPending}>
            {t('executors:route.go')}
          </Button>
        </>
      }
    >
      <form
        id="group-route"
        className={styles.add}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <NativeSelect
          data-autofocus
          inputWrapperOrder={FIELD_ORDER}
          label={t('executors:route.label')}
          description={t(`inspector:route.means.${route}`)}
          value={route}
          data={ROUTES.map((value) => ({ value, label: t(`inspector:route.${value}`) }))}
          onChange={(event) => {
            setRoute(event.currentTarget.value as Group['route']);
          }}
        />
        <TextInput
          inputWrapperOrder={FIELD_ORDER}
          label={t('executors:route.reason')}
          value={reason}
          maxLength={500}
          onChange={(event) => {
            setReason(event.currentTarget.value);
          }}
        />
        {change.isError && <ErrorNote error={change.error} />}
      </form>
    </Dialog>
  );
}

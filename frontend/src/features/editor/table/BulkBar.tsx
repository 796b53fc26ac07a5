import { Button, CloseButton, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { editTasks, moveTasks, removeTasks } from '@/document';
import { isDrawer, useDoc, useDrawer, useEditor } from '../context';
import styles from './TableView.module.css';

/** The commands on the marked tasks. `Edit` shows their common fields in the inspector. */
export function BulkBar({ keys, onNone }: { keys: readonly string[]; onNone: () => void }) {
  const { t } = useTranslation('views');
  const { store, goTo } = useEditor();
  const doc = useDoc((s) => s.doc);
  const drawer = useDrawer();
  const { apply } = store.getState();
  const off = doc.jobs.every((job) => job.tasks?.every((task) => !keys.includes(task.key) || task.disabled) ?? true);
  const edit = () => {
    // Only the rows that the bar counts: the search may hide other marked ones.
    store.getState().select({ tasks: [...keys] });
    drawer.show();
    if (!isDrawer()) goTo({ field: keys.length > 1 ? 'handler' : 'key' });
  };
  return (
    <div className={styles.bulk} role="group" aria-label={t('table.marked', { count: keys.length })}>
      <b>{t('table.marked', { count: keys.length })}</b>
      <Button size="compact-sm" onClick={edit}>
        {t('table.edit')}
      </Button>
      <Menu>
        <Menu.Target>
          <Button size="compact-sm">{t('table.move')}</Button>
        </Menu.Target>
        <Menu.Dropdown className={styles.jobs}>
          {doc.jobs.map((job) => (
            <Menu.Item
              key={job.key}
              onClick={() => {
                apply(moveTasks(store.getState().doc, keys, job.key, job.tasks?.length ?? 0));
              }}
            >
              <bdi>{job.title ?? job.key}</bdi>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        size="compact-sm"
        onClick={() => {
          apply(editTasks(store.getState().doc, keys, { disabled: off ? undefined : true }));
        }}
      >
        {t(off ? 'table.enable' : 'table.disable')}
      </Button>
      <Button
        size="compact-sm"
        onClick={() => {
          apply(removeTasks(store.getState().doc, keys));
        }}
      >
        {t('table.remove')}
      </Button>
      <CloseButton size="sm" aria-label={t('table.unmark')} onClick={onNone} />
    </div>
  );
}

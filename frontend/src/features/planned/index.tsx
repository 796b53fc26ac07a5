import { Menu } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { exact, lazyPreload, NeedsServer, RowMenu } from '@/ui';
import type { Change, ChangeAction } from './change';
import { useUndo } from './useUndo';

export { isChangeable } from './change';
export { useChangeText } from './ChangeText';
export { PlannedChanges } from './PlannedChanges';

const ChangeDialog = lazyPreload(async () => (await import('./ChangeDialog')).ChangeDialog);

const ACTIONS: readonly ChangeAction[] = ['skip', 'move', 'hold', 'params'];

interface Props {
  schedule: string;
  moment: string;
  /** The change that the moment has already. */
  change?: Change;
  zone: string;
}

/** The menu of a coming moment, with the dialogs that change it. */
export function ChangeMenu({ schedule, moment, change, zone }: Props): ReactNode {
  const { t } = useTranslation('planned');
  const [action, setAction] = useState<ChangeAction>();
  const undo = useUndo(schedule);
  return (
    <>
      <RowMenu label={t('menu', { at: exact(moment, { zone }), schedule })} width={220}>
        {ACTIONS.map((one) => (
          <NeedsServer key={one}>
            <Menu.Item
              onClick={() => {
                setAction(one);
              }}
            >
              {t(`open.${one}`)}
            </Menu.Item>
          </NeedsServer>
        ))}
        {change && (
          <NeedsServer>
            <Menu.Item
              onClick={() => {
                undo.mutate(moment);
              }}
            >
              {t('undo')}
            </Menu.Item>
          </NeedsServer>
        )}
      </RowMenu>
      {action && (
        <ChangeDialog
          {...{ schedule, moment, action }}
          onClose={() => {
            setAction(undefined);
          }}
        />
      )}
    </>
  );
}

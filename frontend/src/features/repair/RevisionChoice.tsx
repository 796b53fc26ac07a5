import { SegmentedControl } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import styles from './Repair.module.css';

interface Props {
  own: number;
  latest: number;
  /** How many of the plan's tasks the latest revision has otherwise. */
  differ: number;
  value: boolean;
  disabled: boolean;
  onChange: (latest: boolean) => void;
}

/** By which revision the batch goes on. Each choice is a plan of its own. */
export function RevisionChoice({ own, latest, differ, value, disabled, onChange }: Props) {
  const { t } = useTranslation('repair');
  return (
    <SegmentedControl
      fullWidth
      aria-label={t('revision.label')}
      classNames={{ root: styles.choice, indicator: styles.chosen, label: styles.choiceLabel }}
      disabled={disabled}
      value={value ? 'latest' : 'own'}
      onChange={(choice) => {
        onChange(choice === 'latest');
      }}
      data={[
        { value: 'own', label: t('revision.own', { revision: own }) },
        {
          value: 'latest',
          label: (
            <>
              {t('revision.latest', { revision: latest })} <small>{t('revision.differ', { count: differ })}</small>
            </>
          ),
        },
      ]}
    />
  );
}

import { SegmentedControl, Switch, TextInput } from '@mantine/core';
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import styles from './Repair.module.css';

interface RevisionProps {
  own: number;
  latest: number;
  /** The number of tasks in the plan that the latest revision defines in another way. */
  differ: number;
  value: boolean;
  disabled: boolean;
  onChange: (latest: boolean) => void;
}

/** Chooses the revision that the batch continues with. Each choice has its own plan. */
export function RevisionChoice({ own, latest, differ, value, disabled, onChange }: RevisionProps) {
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

interface DownstreamProps {
  value: boolean;
  disabled: boolean;
  onChange: (downstream: boolean) => void;
}

/** Chooses whether a rerun includes all downstream tasks. */
export function DownstreamSwitch({ value, disabled, onChange }: DownstreamProps) {
  const { t } = useTranslation('repair');
  return (
    <Switch
      checked={value}
      disabled={disabled}
      onChange={(event) => {
        onChange(event.currentTarget.checked);
      }}
      label={t('downstream')}
      description={t('downstream_hint')}
    />
  );
}

interface NoteProps {
  ref: Ref<HTMLInputElement>;
  value: string;
  /** Selects the example text that the empty field shows. */
  kind: 'repair' | 'cancel' | 'close';
  needed: boolean;
  missing: boolean;
  disabled: boolean;
  onChange: (value: string) => void;
  /** Called on Ctrl+Enter. */
  onEnter: () => void;
}

/** The note in which the user explains the repair to later readers of the batch. */
export function NoteField({ ref, value, kind, needed, missing, disabled, onChange, onEnter }: NoteProps) {
  const { t } = useTranslation('repair');
  return (
    <TextInput
      ref={ref}
      label={t(needed ? 'noteNeeded' : 'note')}
      placeholder={t(`noteExample.${kind}`)}
      value={value}
      maxLength={1000}
      required={needed}
      withAsterisk={false}
      readOnly={disabled}
      error={missing && t('noteMissing')}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onEnter();
      }}
    />
  );
}

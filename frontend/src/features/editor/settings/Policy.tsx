import { useTranslation } from 'react-i18next';
import type { Doc } from '@/document';
import { DurationField, NumberField } from '../inspector/fields/Typed';
import { some } from '../inspector/useEdit';
import { Choices } from './Choices';
import { FlowPicture } from './FlowPicture';
import styles from './Settings.module.css';

type Value = NonNullable<Doc['policy']>;

/** Whether jobs wait for each other as a whole. */
export function Flow({ value = 'needs', onChange }: { value?: Doc['flow']; onChange: (flow: Doc['flow']) => void }) {
  const { t } = useTranslation('inspector');
  return (
    <Choices
      label={t('flow.label')}
      name="flow"
      value={value}
      onPick={(picked) => {
        onChange(picked === 'strict' ? 'strict' : undefined);
      }}
      choices={(['needs', 'strict'] as const).map((one) => ({
        value: one,
        title: t(`flow.${one}`),
        about: t(`flow.about.${one}`),
        picture: <FlowPicture strict={one === 'strict'} />,
      }))}
    />
  );
}

/** What governs whole batches, in words that say what will happen. */
export function Policy({
  value,
  onChange,
}: {
  value: Value;
  onChange: (field: string, policy: Value | undefined) => void;
}) {
  const { t } = useTranslation('inspector');
  const put = (fields: Value) => {
    onChange(`policy ${Object.keys(fields).join()}`, some({ ...value, ...fields }));
  };
  const { catchUp = {} } = value;
  return (
    <>
      <Choices
        label={t('overlap.label')}
        name="policy.overlap"
        value={value.overlap ?? 'skip'}
        onPick={(picked) => {
          put({ overlap: picked === 'skip' ? undefined : (picked as 'allow') });
        }}
        choices={(['skip', 'queue', 'allow', 'replace'] as const).map((one) => ({
          value: one,
          title: t(`overlap.${one}`),
          about: t(`overlap.about.${one}`),
        }))}
      />
      <Choices
        label={t('catchUp.label')}
        name="policy.catchUp.mode"
        value={catchUp.mode ?? 'latest'}
        onPick={(picked) => {
          put({ catchUp: some({ ...catchUp, mode: picked === 'latest' ? undefined : (picked as 'all') }) });
        }}
        choices={(['latest', 'all', 'none'] as const).map((one) => ({
          value: one,
          title: t(`catchUp.${one}`),
          about: t(`catchUp.about.${one}`),
        }))}
      />
      <div className={styles.row}>
        <DurationField
          label={t('catchUp.grace')}
          name="policy.catchUp.grace"
          help={t('catchUp.graceAbout')}
          value={catchUp.grace}
          placeholder={t('unit.s', { count: 5 })}
          onChange={(grace) => {
            put({ catchUp: some({ ...catchUp, grace }) });
          }}
        />
        <DurationField
          label={t('expire.label')}
          name="policy.expire"
          help={t('expire.about')}
          value={value.expire}
          placeholder={t('expire.never')}
          onChange={(expire) => {
            put({ expire });
          }}
        />
        <DurationField
          label={t('batchTimeout.label')}
          name="policy.timeout"
          help={t('batchTimeout.about')}
          value={value.timeout}
          placeholder={t('none')}
          onChange={(timeout) => {
            put({ timeout });
          }}
        />
        <NumberField
          label={t('maxBatches.label')}
          name="policy.maxBatches"
          help={t('maxBatches.about')}
          integer
          min={0}
          value={value.maxBatches || undefined}
          placeholder={t('maxBatches.endless')}
          onChange={(n) => {
            put({ maxBatches: typeof n === 'number' && n > 0 ? n : undefined });
          }}
        />
      </div>
    </>
  );
}

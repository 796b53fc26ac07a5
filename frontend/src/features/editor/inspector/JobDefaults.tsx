import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { DEFAULT_FIELDS, type Defaults, type DocFault, type Job } from '@/document';
import { useDoc } from '../context';
import { namesForJob } from './fields/completion';
import { DurationField } from './fields/Typed';
import fieldStyles from './fields/Field.module.css';
import { hasFaultAt } from './faults';
import { More } from './Panel';
import { GroupField, PriorityField } from './task/fields';
import { OnLostFields } from './task/OnLost';
import { Retry } from './task/Retry';
import { useJobEdit, withoutUnset } from './useEdit';

/** The props of `JobDefaults`. */
export interface JobDefaultsProps {
  job: Job;
  faults: readonly DocFault[];
}

const PREFIX = 'defaults.';
const NAMES = DEFAULT_FIELDS.map((field) => PREFIX + field);

/** The values of a job for the fields that its tasks leave out. */
export function JobDefaults({ job, faults }: JobDefaultsProps) {
  const { t } = useTranslation('inspector');
  const edit = useJobEdit(job.key);
  const defaults = job.defaults ?? {};
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => namesForJob(doc, job.key), [doc, job.key]);
  const set = (field: string, fields: Defaults) => {
    edit(PREFIX + field, { defaults: withoutUnset({ ...defaults, ...fields }) });
  };
  return (
    <More
      title={t('defaults.title')}
      count={DEFAULT_FIELDS.filter((name) => defaults[name] !== undefined).length}
      wrong={hasFaultAt(faults, NAMES)}
    >
      <p className="hg-quiet">{t('defaults.note')}</p>
      <GroupField
        prefix={PREFIX}
        value={defaults.group}
        set={(_, fields) => {
          set('group', fields as Defaults);
        }}
      />
      <Retry
        prefix={PREFIX}
        value={defaults.retry}
        names={names}
        onChange={(retry) => {
          set('retry', { retry });
        }}
      />
      <div className={fieldStyles.two}>
        <DurationField
          label={t('timeout')}
          name={`${PREFIX}timeout`}
          value={defaults.timeout}
          placeholder={t('none')}
          onChange={(timeout) => {
            set('timeout', { timeout });
          }}
        />
        <PriorityField
          prefix={PREFIX}
          value={defaults.priority}
          set={(_, fields) => {
            set('priority', fields as Defaults);
          }}
        />
      </div>
      <DurationField
        label={t('killGrace.label')}
        name={`${PREFIX}killGrace`}
        value={defaults.killGrace}
        placeholder={t('unit.s', { count: 10 })}
        help={t('killGrace.note')}
        onChange={(killGrace) => {
          set('killGrace', { killGrace });
        }}
      />
      <OnLostFields
        prefix={PREFIX}
        value={defaults.onLost}
        onChange={(onLost) => {
          set('onLost', { onLost });
        }}
      />
    </More>
  );
}

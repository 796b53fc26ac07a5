import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { ROUTES } from '@/api/definition';
import { type Doc, MAX } from '@/document';
import { useEditor } from '../context';
import { ChooseField } from '../inspector/fields/Text';
import { DurationField, NumberField } from '../inspector/fields/Typed';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

type Value = NonNullable<Doc['policy']>;

/** The flow: whether a job waits for the whole job before it, or each task only for its needs. */
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

/** The policy of batches: overlap, catching up, time limits and their number. */
export function Policy({
  value,
  onChange,
}: {
  value: Value;
  onChange: (field: string, policy: Value | undefined) => void;
}) {
  const { t } = useTranslation('inspector');
  const put = (fields: Value) => {
    onChange(`policy ${Object.keys(fields).join()}`, withoutUnset({ ...value, ...fields }));
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
          put({ catchUp: withoutUnset({ ...catchUp, mode: picked === 'latest' ? undefined : (picked as 'all') }) });
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
            put({ catchUp: withoutUnset({ ...catchUp, grace }) });
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
        <RouteField value={value.route} put={put} />
        <PriorityField value={value.priority} put={put} />
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
      <Keep
        value={value.keep ?? {}}
        onChange={(keep) => {
          put({ keep });
        }}
      />
    </>
  );
}

/** The priority of the tasks that have none of their own. */
function PriorityField({ value, put }: { value?: number; put: (fields: Value) => void }) {
  const { t } = useTranslation('inspector');
  return (
    <NumberField
      label={t('policyPriority.label')}
      name="policy.priority"
      help={t('policyPriority.about')}
      integer
      min={1}
      max={10}
      value={value}
      placeholder="5"
      onChange={(n) => {
        put({ priority: typeof n === 'number' ? n : undefined });
      }}
    />
  );
}

/** The route of the tasks that have none of their own. */
function RouteField({ value, put }: { value: Value['route']; put: (fields: Value) => void }) {
  const { t } = useTranslation('inspector');
  return (
    <ChooseField
      label={t('policyRoute.label')}
      name="policy.route"
      help={value ? t(`route.means.${value}`, { defaultValue: '' }) : t('policyRoute.about')}
      quiet={value === undefined}
      value={value ?? ''}
      options={[
        { value: '', label: t('policyRoute.auto') },
        ...ROUTES.map((one) => ({ value: one, label: t(`route.${one}`) })),
      ]}
      onPick={(picked) => {
        put({ route: picked === '' ? undefined : (picked as Value['route']) });
      }}
    />
  );
}

type Kept = NonNullable<Value['keep']>;

const LIMITS: readonly (keyof Kept)[] = ['batches', 'days', 'logs'];

/** How much of the past stays. An empty field is the limit of the server. */
function Keep({ value, onChange }: { value: Kept; onChange: (keep: Kept | undefined) => void }) {
  const { t } = useTranslation('inspector');
  return (
    <div className={styles.row}>
      {LIMITS.map((one) => (
        <NumberField
          key={one}
          label={t(`keep.${one}`)}
          name={`policy.keep.${one}`}
          help={t(`keep.about.${one}`)}
          integer
          min={0}
          max={one === 'batches' ? MAX.keptBatches : MAX.keptDays}
          value={value[one]}
          placeholder={t('keep.server')}
          onChange={(n) => {
            onChange(withoutUnset({ ...value, [one]: typeof n === 'number' ? n : undefined }));
          }}
        />
      ))}
    </div>
  );
}

interface Choice {
  value: string;
  title: string;
  about: string;
  picture?: ReactNode;
}

/** Alternatives with their explanations, as radio buttons. */
function Choices({
  label,
  name,
  value,
  choices,
  onPick,
}: {
  label: string;
  name: string;
  value: string;
  choices: readonly Choice[];
  onPick: (value: string) => void;
}) {
  const { store } = useEditor();
  const id = useId();
  const pick = (next: string) => {
    onPick(next);
    store.getState().endGesture();
  };
  return (
    <fieldset className={styles.choices} data-field={name}>
      <legend>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className={styles.choice}>
          <input
            type="radio"
            name={id}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => {
              pick(choice.value);
            }}
            aria-describedby={`${id}-${choice.value}`}
          />
          <b>{choice.title}</b>
          {choice.picture}
          <small id={`${id}-${choice.value}`}>{choice.about}</small>
        </label>
      ))}
    </fieldset>
  );
}

const BOXES = [
  [12, 7],
  [66, 7],
  [12, 39],
  [66, 39],
] as const;

/**
 * Two jobs; of the first, one task is done and one is running. It shows whether the task below the done one may run.
 */
function FlowPicture({ strict }: { strict: boolean }) {
  const busy = strict ? [false, true, false, false] : [false, true, true, false];
  return (
    <svg width={132} height={60} viewBox="0 0 132 60" aria-hidden>
      <rect className={styles.lane} x={0} y={0} width={132} height={26} rx={4} />
      <rect className={styles.lane} x={0} y={33} width={132} height={26} rx={4} />
      <path className={styles.wire} d="M38 19v20M92 19v20" />
      {strict && <path className={styles.bar} d="M0 29.5h132" />}
      {BOXES.map(([x, y], i) => (
        <g key={i}>
          <rect className={styles.box} x={x} y={y} width={52} height={13} rx={3} />
          {busy[i] && <rect className={styles.on} x={x + 3} y={y + 4.5} width={26} height={4} rx={2} />}
          {i === 0 && <rect className={styles.done} x={x + 3} y={y + 4.5} width={46} height={4} rx={2} />}
        </g>
      ))}
    </svg>
  );
}

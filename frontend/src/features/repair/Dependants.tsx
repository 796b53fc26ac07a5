import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { Glyph, Moment, useTook } from '@/ui';
import styles from './Repair.module.css';

type Preview = Schemas['ChainPreview'];
type Step = Schemas['ChainStep'];

interface Props {
  /** What followed the batch. The first step is the batch itself. */
  preview: Preview;
  checked: boolean;
  disabled: boolean;
  onChange: (checked: boolean) => void;
}

/** Chooses whether the batches of other schedules that followed run again too, and lists them in their order. */
export function Dependants({ preview, checked, disabled, onChange }: Props) {
  const { t } = useTranslation('repair');
  const others = preview.steps.slice(1);
  if (others.length === 0) return null;
  const count = others.filter((step) => step.fate === 'rerun').length;
  return (
    <section className={styles.dependants} aria-label={t('dependants.title')}>
      {count > 0 ? (
        <Checkbox
          checked={checked}
          disabled={disabled || (preview.busy !== undefined && !checked)}
          onChange={(event) => {
            onChange(event.currentTarget.checked);
          }}
          label={t('dependants.label', { count })}
          description={t('dependants.hint')}
        />
      ) : (
        <p className="hg-quiet">{t('dependants.none')}</p>
      )}
      {preview.busy !== undefined && <p className={styles.warn}>{t('dependants.busy', { id: preview.busy })}</p>}
      <ol className={styles.rows} aria-label={t('dependants.list')} data-off={!checked}>
        {others.map((step) => (
          <li key={step.position}>
            <Row step={step} steps={preview.steps} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Row({ step, steps }: { step: Step; steps: readonly Step[] }) {
  const { t } = useTranslation(['repair', 'states']);
  const took = useTook();
  const after = step.needs.map((n) => steps[n]?.schedule).filter(Boolean);
  return (
    <div className={styles.row}>
      <Glyph state={step.state ?? 'waiting'} />
      <div>
        <b>{step.schedule}</b>{' '}
        <span className={styles.moment}>
          <Moment at={step.moment} schedule={step.schedule} />
        </span>
        <p>
          {step.batch !== undefined && (
            <>
              <Link to="/batches/$id" params={{ id: step.batch }} preload={false} target="_blank">
                {t('batch', { id: step.batch })}
              </Link>
              {` · ${t(`states:${step.state ?? 'waiting'}`)} · ${t('tasks', { count: step.tasks })}`}
              {step.usualSeconds !== undefined && ` · ${t('usual', { time: took(step.usualSeconds * 1000) })}`}
              {' · '}
            </>
          )}
          {t('dependants.after', { schedules: after.join(', ') })}
        </p>
      </div>
      <span className={styles.change}>{t(`dependants.fate.${step.fate}`)}</span>
    </div>
  );
}

import { useTranslation } from 'react-i18next';
import { useClock } from '@/ui';
import { Field } from '../inspector/fields/Field';
import { Choose } from '../inspector/fields/Text';
import type { Triggers as List } from '../inspector/NextTicks';
import { More } from '../inspector/Panel';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';
import { hasDaylightSaving } from './zones';

interface Props {
  triggers: List;
  zone?: string;
  onChange: (triggers: List) => void;
  /** The first trigger in the document, such as `triggers[0]`. */
  name: string;
  /** The triggers may be due at times of day that a change of clocks skips or repeats. */
  byClock: boolean;
}

/** The fields for changes of clocks. Nothing is shown where the zone has none and no field is set. */
export function DaylightSaving({ name, triggers, zone, byClock, onChange }: Props) {
  const { t } = useTranslation('inspector');
  const now = useClock();
  const dst = triggers[0]?.dst;
  if (dst === undefined && !(byClock && hasDaylightSaving(zone ?? 'UTC', now - (now % 86_400_000)))) return null;
  const put = (fields: NonNullable<List[number]['dst']>) => {
    const next = withoutUnset({ ...dst, ...fields });
    onChange(triggers.map((trigger) => withoutUnset({ ...trigger, dst: next }) ?? trigger));
  };
  return (
    <More title={t('dst.about')} count={dst === undefined ? 0 : 1}>
      <div className={styles.row}>
        <Field label={t('dst.gap')} name={`${name}.dst.gap`}>
          {(control) => (
            <Choose
              {...control}
              quiet={dst?.gap === undefined}
              value={dst?.gap ?? 'run-after'}
              options={(['run-after', 'skip'] as const).map((one) => ({ value: one, label: t(`dst.gaps.${one}`) }))}
              onPick={(gap) => {
                put({ gap: gap === 'run-after' ? undefined : gap });
              }}
            />
          )}
        </Field>
        <Field label={t('dst.repeat')} name={`${name}.dst.repeat`}>
          {(control) => (
            <Choose
              {...control}
              quiet={dst?.repeat === undefined}
              value={dst?.repeat ?? 'first'}
              options={(['first', 'last', 'both'] as const).map((one) => ({
                value: one,
                label: t(`dst.repeats.${one}`),
              }))}
              onPick={(repeat) => {
                put({ repeat: repeat === 'first' ? undefined : repeat });
              }}
            />
          )}
        </Field>
      </div>
    </More>
  );
}

import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useDoc } from '../context';
import { Field } from '../inspector/fields/Field';
import { Choose, Icon, Input } from '../inspector/fields/Text';
import fieldStyles from '../inspector/fields/Field.module.css';
import type { Triggers } from '../inspector/NextTicks';
import { withoutUnset } from '../inspector/useEdit';
import styles from './Settings.module.css';

type Trigger = Triggers[number];

interface Props {
  /** The trigger in the document, such as `triggers[0]`. */
  name: string;
  trigger: Trigger;
  onChange: (trigger: Trigger) => void;
}

/** The fields of a webhook: its name, and the parameters that a call may set. */
export function WebhookFields({ name, trigger, onChange }: Props) {
  const { t } = useTranslation('inspector');
  const params = Object.keys(useDoc((s) => s.doc.params) ?? {});
  const accept = Object.entries(trigger.accept ?? {});
  const free = params.filter((param) => trigger.accept?.[param] === undefined);
  const put = (entries: [string, string][]) => {
    onChange(
      withoutUnset({ ...trigger, accept: entries.length > 0 ? Object.fromEntries(entries) : undefined }) ?? trigger,
    );
  };
  return (
    <>
      <Field label={t('webhook.name')} name={`${name}.webhook`} note={t('webhook.note')}>
        {(control) => (
          <Input
            {...control}
            value={trigger.webhook ?? ''}
            onChange={(event) => {
              onChange({ ...trigger, webhook: event.currentTarget.value });
            }}
          />
        )}
      </Field>
      <b>{t('webhook.accept')}</b>
      {accept.map(([param, pointer], i) => (
        <div key={i} className={styles.upstream}>
          <Field label={t('webhook.param')} name={`${name}.accept.${param}.name`}>
            {(control) => (
              <Choose
                {...control}
                value={param}
                options={[param, ...free].map((one) => ({ value: one, label: one }))}
                onPick={(picked) => {
                  put(accept.with(i, [picked, pointer]));
                }}
              />
            )}
          </Field>
          <Field label={t('webhook.pointer')} name={`${name}.accept.${param}`}>
            {(control) => (
              <Input
                {...control}
                mono
                value={pointer}
                onChange={(event) => {
                  put(accept.with(i, [param, event.currentTarget.value]));
                }}
              />
            )}
          </Field>
          <button
            type="button"
            className={fieldStyles.quiet}
            aria-label={t('webhook.remove', { name: param })}
            onClick={() => {
              put(accept.toSpliced(i, 1));
            }}
          >
            <Icon name="trash" />
          </button>
        </div>
      ))}
      {params.length === 0 && accept.length === 0 && <p>{t('webhook.noParams')}</p>}
      {free[0] !== undefined && (
        <div>
          <Button
            onClick={() => {
              put([...accept, [free[0] ?? '', `/${free[0] ?? ''}`]]);
            }}
          >
            {t('webhook.add')}
          </Button>
        </div>
      )}
    </>
  );
}

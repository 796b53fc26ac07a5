import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { ROUTES } from '@/api/definition';
import type { Task } from '@/document';
import { useDoc } from '../../context';
import { namesFor } from '../fields/completion';
import { Field } from '../fields/Field';
import fieldStyles from '../fields/Field.module.css';
import { ExpressionInput } from '../fields/Suggest';
import { ChooseField, TextField } from '../fields/Text';
import { DurationField, NumberField } from '../fields/Typed';
import { unsetIfEmpty, withoutUnset } from '../useEdit';
import type { SetField } from './fields';

/** The task, and how a field of it is set. */
export interface RoutingProps {
  task: Task;
  set: SetField;
}

/** How the executor of a task is chosen: conditions on labels, the route, its key, and rejected offers. */
export function Routing({ task, set }: RoutingProps) {
  const { t } = useTranslation('inspector');
  const fromSchedule = useDoc((s) => s.doc.policy?.route);
  const { route, routeKey, reject = {} } = task;
  return (
    <>
      <TextField
        label={t('selector.label')}
        name="selector"
        help={t('selector.note')}
        mono
        value={task.selector ?? ''}
        onChange={(text) => {
          set('selector', { selector: unsetIfEmpty(text) });
        }}
      />
      <ChooseField
        label={t('route.label')}
        name="route"
        help={route ? t(`route.means.${route}`, { defaultValue: '' }) : t('route.autoMeans')}
        quiet={route === undefined}
        value={route ?? ''}
        options={[
          { value: '', label: t('route.auto') },
          ...ROUTES.map((one) => ({ value: one, label: t(`route.${one}`) })),
        ]}
        onPick={(picked) => {
          set('route', { route: unsetIfEmpty(picked) as Task['route'] });
        }}
      />
      {((route ?? fromSchedule) === 'consistent_hash' || routeKey !== undefined) && (
        <RouteKeyField task={task.key} value={routeKey} set={set} />
      )}
      <div className={fieldStyles.two}>
        <NumberField
          label={t('reject.max')}
          name="reject.max"
          help={t('reject.note')}
          integer
          min={0}
          max={1000}
          value={reject.max}
          placeholder={t('reject.noLimit')}
          onChange={(n) => {
            set('reject', { reject: withoutUnset({ ...reject, max: typeof n === 'number' ? n : undefined }) });
          }}
        />
        <DurationField
          label={t('reject.interval')}
          name="reject.interval"
          value={reject.interval}
          placeholder={t('reject.noPause')}
          onChange={(interval) => {
            set('reject', { reject: withoutUnset({ ...reject, interval }) });
          }}
        />
      </div>
    </>
  );
}

function RouteKeyField({ task, value, set }: { task: string; value?: string; set: SetField }) {
  const { t } = useTranslation('inspector');
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => namesFor(doc, task), [doc, task]);
  return (
    <Field label={t('routeKey.label')} name="routeKey" help={t('routeKey.note')}>
      {(control) => (
        <ExpressionInput
          {...control}
          bare
          mono
          value={value ?? ''}
          placeholder={t('routeKey.none')}
          names={names}
          onChange={(key) => {
            set('routeKey', { routeKey: unsetIfEmpty(key) });
          }}
        />
      )}
    </Field>
  );
}

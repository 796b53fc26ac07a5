import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { DefinitionHook } from '@/api/definition';
import type { DocFault } from '@/document';
import { useDoc, useEditor } from '../../context';
import { hookNames } from '../fields/completion';
import fieldStyles from '../fields/Field.module.css';
import { Add, Remove } from '../fields/Lists';
import { DurationField } from '../fields/Typed';
import { useFaultsAt } from '../faults';
import { Faults } from '../Panel';
import { GroupField, HandlerField } from '../task/fields';
import { Retry } from '../task/Retry';
import { ParamsForm } from '../task/Params';
import { withoutUnset } from '../useEdit';
import { HOOK_LISTS, type HookList, type HooksOf } from './lists';
import styles from './Hooks.module.css';

/** The hooks, their faults, and what takes a changed list. */
export interface HookListsProps {
  value: HooksOf;
  faults: readonly DocFault[];
  onChange: (list: HookList, index: number, hooks: DefinitionHook[] | undefined) => void;
}

/** The lists of hooks, each with a form for each of its hooks. */
export function HookLists({ value, faults, onChange }: HookListsProps) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const usual = handlers.find((one) => one.name === 'shell') ?? handlers[0];
  return (
    <div className={styles.lists}>
      {HOOK_LISTS.map((list) => {
        const hooks = value[list] ?? [];
        const put = (index: number, next: DefinitionHook[]) => {
          onChange(list, index, next.length > 0 ? next : undefined);
        };
        return (
          <section key={list} className={styles.list} aria-label={t(`hooks.${list}`)}>
            <h3>{t(`hooks.${list}`)}</h3>
            <ListFaults list={list} count={hooks.length} />
            {hooks.map((hook, i) => (
              <HookForm
                key={i}
                name={`${list}[${String(i)}]`}
                title={t('hooks.nth', { list: t(`hooks.${list}`), n: i + 1 })}
                hook={hook}
                faults={faults}
                onChange={(next) => {
                  put(i, hooks.with(i, next));
                }}
                onRemove={() => {
                  put(i, hooks.toSpliced(i, 1));
                }}
              />
            ))}
            <Add
              onClick={() => {
                put(hooks.length, [...hooks, { handler: usual?.name ?? 'shell' }]);
              }}
            >
              {t(`hooks.add.${list}`)}
            </Add>
          </section>
        );
      })}
    </div>
  );
}

/** The faults of a list that none of its hooks shows. */
function ListFaults({ list, count }: { list: HookList; count: number }) {
  const inside = Array.from({ length: count }, (_, i) => `${list}[${String(i)}]`);
  return <Faults faults={useFaultsAt(list, inside)} />;
}

interface FormProps {
  /** The hook as faults name it: `onEnd[0]`. */
  name: string;
  title: string;
  hook: DefinitionHook;
  faults: readonly DocFault[];
  onChange: (hook: DefinitionHook) => void;
  onRemove: () => void;
}

/** One call of a handler. Its fields are those that a task has. */
function HookForm({ name, title, hook, faults, onChange, onRemove }: FormProps) {
  const { t } = useTranslation('inspector');
  const { handlers } = useEditor();
  const doc = useDoc((s) => s.doc);
  const names = useMemo(() => hookNames(doc), [doc]);
  const handler = handlers.find((one) => one.name === hook.handler);
  const put = (fields: Partial<DefinitionHook>) => {
    onChange(withoutUnset({ ...hook, ...fields }) ?? hook);
  };
  const set = (_: string, fields: object) => {
    put(fields);
  };
  const prefix = `${name}.`;
  return (
    <div className={styles.hook} role="group" aria-label={title} data-field={name}>
      <div className={styles.title}>
        <b>{title}</b>
        <Remove label={t('hooks.remove', { name: title })} onClick={onRemove} />
      </div>
      <HandlerField value={hook.handler} set={set} prefix={prefix} />
      <ParamsForm
        key={hook.handler}
        hook
        path={`${prefix}params`}
        params={hook.params}
        handler={handler}
        faults={faults}
        names={names}
        onChange={(params) => {
          put({ params });
        }}
        onParam={(param, value) => {
          put({ params: withoutUnset({ ...hook.params, [param]: value }) });
        }}
      />
      <div className={fieldStyles.two}>
        <GroupField value={hook.group} handler={handler} set={set} prefix={prefix} />
        <DurationField
          label={t('timeout')}
          name={`${prefix}timeout`}
          value={hook.timeout}
          placeholder={t('none')}
          onChange={(timeout) => {
            put({ timeout });
          }}
        />
      </div>
      <Retry
        value={hook.retry}
        prefix={prefix}
        onChange={(retry) => {
          put({ retry });
        }}
      />
    </div>
  );
}

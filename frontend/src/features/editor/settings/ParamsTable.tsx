import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type Doc, freeKey, isParam, renameParam } from '@/document';
import { useEditor } from '../context';
import { useFaultsAt } from '../inspector/faults';
import { Faults } from '../inspector/Panel';
import { Add, Remove } from '../inspector/fields/Lists';
import { Choose, Input } from '../inspector/fields/Text';
import { useNumber } from '../inspector/fields/Typed';
import { useHeadEdit } from '../inspector/useEdit';
import fieldStyles from '../inspector/fields/Field.module.css';
import styles from './Settings.module.css';

type Params = NonNullable<Doc['params']>;
type Value = Params[string];
type Kind = 'text' | 'number' | 'boolean';

const kindOf = (value: Value): Kind =>
  typeof value === 'boolean' ? 'boolean' : typeof value === 'number' ? 'number' : 'text';

/** The parameters that a schedule declares. Renaming one also renames it in the expressions that use it. */
export function ParamsTable({ params }: { params: Params }) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const set = useHeadEdit();
  const table = useRef<HTMLTableElement>(null);
  const entries = Object.entries(params);
  const put = (field: string, next: Params) => {
    set(field, { params: Object.keys(next).length > 0 ? next : undefined });
  };
  const add = () => {
    put('params add', { ...params, [freeKey(Object.keys(params), 'param')]: '' });
    store.getState().endGesture();
    requestAnimationFrame(() => {
      const last = [...(table.current?.querySelectorAll<HTMLInputElement>('input[data-name]') ?? [])].at(-1);
      last?.focus();
      last?.select();
    });
  };
  return (
    <div data-field="params" className={fieldStyles.rows}>
      {entries.length > 0 && (
        <table className={styles.params} ref={table}>
          <thead>
            <tr>
              <th scope="col">{t('param.name')}</th>
              <th scope="col">{t('param.type')}</th>
              <th scope="col">{t('param.default')}</th>
              <th scope="col">
                <span className="hg-visually-hidden">{t('param.remove', { name: '' })}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map(([name, value]) => (
              <Row
                key={name}
                name={name}
                value={value}
                others={Object.keys(params).filter((other) => other !== name)}
                onRename={(to) => {
                  store.getState().apply(renameParam(store.getState().doc, name, to));
                }}
                onChange={(next) => {
                  put(`params ${name}`, { ...params, [name]: next });
                }}
                onRemove={() => {
                  put(`params remove ${name}`, Object.fromEntries(entries.filter(([other]) => other !== name)));
                }}
              />
            ))}
          </tbody>
        </table>
      )}
      <Add onClick={add}>{t('param.add')}</Add>
    </div>
  );
}

interface RowProps {
  name: string;
  value: Value;
  others: readonly string[];
  onRename: (to: string) => void;
  onChange: (value: Value) => void;
  onRemove: () => void;
}

function Row({ name, value, others, onRename, onChange, onRemove }: RowProps) {
  const { t } = useTranslation('inspector');
  const { store } = useEditor();
  const [typed, setTyped] = useState<string>();
  const faults = useFaultsAt(`params.${name}`);
  const kind = kindOf(value);
  const wrong =
    typed === undefined || typed === name
      ? undefined
      : !isParam(typed)
        ? t('param.form')
        : others.includes(typed)
          ? t('key.taken', { key: typed })
          : undefined;
  const commit = () => {
    if (typed !== undefined && !wrong) onRename(typed);
    setTyped(undefined);
  };
  const retype = (to: string) => {
    if (to === 'boolean') onChange(value === 'true' || value === 1);
    else if (to === 'number') onChange(Number.isFinite(Number(value)) ? Number(value) : 0);
    else onChange(String(value));
    store.getState().endGesture();
  };
  return (
    <tr
      data-field={`params.${name}`}
      onBlur={() => {
        store.getState().endGesture();
      }}
    >
      <td>
        <Input
          data-name
          mono
          aria-label={t('param.nameOf', { name })}
          aria-invalid={wrong !== undefined || faults.length > 0 || undefined}
          title={wrong}
          value={typed ?? name}
          maxLength={63}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            if (event.key === 'Escape') setTyped(undefined);
          }}
        />
        {wrong && <p className={fieldStyles.fault}>{wrong}</p>}
        <Faults faults={faults} />
      </td>
      <td>
        <Choose
          aria-label={t('param.typeOf', { name })}
          value={kind}
          options={(['text', 'number', 'boolean'] as const).map((one) => ({
            value: one,
            label: t(`param.kinds.${one}`),
          }))}
          onPick={retype}
        />
      </td>
      <td>
        <Default name={name} value={value} onChange={onChange} />
      </td>
      <td>
        <Remove label={t('param.remove', { name })} onClick={onRemove} />
      </td>
    </tr>
  );
}

function Default({ name, value, onChange }: { name: string; value: Value; onChange: (value: Value) => void }) {
  const { t } = useTranslation('inspector');
  const number = useNumber({
    value: typeof value === 'number' ? value : undefined,
    onChange: (n) => {
      if (typeof n === 'number') onChange(n);
    },
  });
  const label = t('param.defaultOf', { name });
  if (typeof value === 'boolean')
    return (
      <Choose
        aria-label={label}
        value={String(value)}
        options={(['true', 'false'] as const).map((one) => ({ value: one, label: t(`param.${one}`) }))}
        onPick={(to) => {
          onChange(to === 'true');
        }}
      />
    );
  if (typeof value === 'number')
    return (
      <Input
        {...number.props}
        aria-label={label}
        aria-invalid={number.refusal !== undefined || undefined}
        title={number.refusal}
      />
    );
  return (
    <Input
      aria-label={label}
      value={value}
      placeholder={t('param.empty')}
      onChange={(event) => {
        onChange(event.currentTarget.value);
      }}
    />
  );
}

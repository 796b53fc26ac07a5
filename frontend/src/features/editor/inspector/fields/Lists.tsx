import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ExpressionInput } from './Suggest';
import type { Name } from './completion';
import { Field, type FieldProps } from './Field';
import styles from './Field.module.css';
import { Icon, Input } from './Text';

interface TextsProps extends FieldProps {
  value: readonly string[];
  placeholder?: string;
  names: readonly Name[];
  onChange: (value: string[] | undefined) => void;
}

/** A list of texts, a line each. */
export function TextsField({ value, placeholder, names, onChange, ...field }: TextsProps) {
  const { t } = useTranslation('inspector');
  const box = useRef<HTMLDivElement>(null);
  const put = (list: string[]) => {
    onChange(list.length > 0 ? list : undefined);
  };
  const add = () => {
    put([...value, '']);
    requestAnimationFrame(() => {
      [...(box.current?.querySelectorAll('input') ?? [])].at(-1)?.focus();
    });
  };
  return (
    <Field {...field} group>
      {() => (
        <div className={styles.rows} ref={box}>
          {value.map((text, i) => (
            <div key={i} className={styles.row}>
              <ExpressionInput
                aria-label={t('list.item', { label: field.label, n: i + 1 })}
                value={text}
                names={names}
                mono
                onChange={(next) => {
                  put(value.with(i, next));
                }}
              />
              <Remove
                label={t('list.remove', { n: i + 1 })}
                onClick={() => {
                  put(value.toSpliced(i, 1));
                }}
              />
            </div>
          ))}
          {value.length === 0 && placeholder && <p className={styles.note}>{placeholder}</p>}
          <Add onClick={add}>{t('list.add')}</Add>
        </div>
      )}
    </Field>
  );
}

interface MapProps extends FieldProps {
  value: Readonly<Record<string, string>>;
  names: readonly Name[];
  onChange: (value: Record<string, string> | undefined) => void;
}

/** Texts by name. A row without a name, or with the name of an earlier row, is not part of the value yet. */
export function MapField({ value, names, onChange, ...field }: MapProps) {
  const { t } = useTranslation('inspector');
  const box = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState<readonly (readonly [string, string])[]>();
  const given = Object.entries(value);
  const rows = typed && isSameMap(namedEntries(typed), value) ? typed : given;
  const put = (next: readonly (readonly [string, string])[]) => {
    setTyped(next);
    const map = namedEntries(next);
    onChange(Object.keys(map).length > 0 ? map : undefined);
  };
  const add = () => {
    setTyped([...rows, ['', '']]);
    requestAnimationFrame(() => {
      [...(box.current?.querySelectorAll<HTMLInputElement>('input[data-name]') ?? [])].at(-1)?.focus();
    });
  };
  const duplicate = rows.find(([name], i) => name !== '' && rows.findIndex(([other]) => other === name) < i);
  return (
    <Field {...field} group refusal={duplicate && t('map.twice', { name: duplicate[0] })}>
      {() => (
        <div className={styles.rows} ref={box}>
          {rows.map(([name, text], i) => (
            <div key={i} className={styles.pair}>
              <Input
                data-name
                aria-label={t('map.name', { n: i + 1 })}
                placeholder={t('map.namePlaceholder')}
                mono
                value={name}
                onChange={(event) => {
                  put(rows.with(i, [event.currentTarget.value, text]));
                }}
              />
              <ExpressionInput
                aria-label={t('map.value', { name: name || String(i + 1) })}
                value={text}
                names={names}
                mono
                onChange={(next) => {
                  put(rows.with(i, [name, next]));
                }}
              />
              <Remove
                label={t('map.remove', { name: name || String(i + 1) })}
                onClick={() => {
                  put(rows.toSpliced(i, 1));
                }}
              />
            </div>
          ))}
          <Add onClick={add}>{t('list.add')}</Add>
        </div>
      )}
    </Field>
  );
}

const namedEntries = (rows: readonly (readonly [string, string])[]): Record<string, string> =>
  Object.fromEntries(rows.filter(([name]) => name !== '').toReversed());
const isSameMap = (a: Record<string, string>, b: Readonly<Record<string, string>>) =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([name, text]) => b[name] === text);

/** The button that removes an entry. It shows only a sign, so `label` must name the entry for screen readers. */
export function Remove({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <button type="button" className={styles.quiet} aria-label={label} onClick={onClick}>
      <Icon name="close" />
    </button>
  );
}

/** The button below a list that adds an entry; its text names the entry. */
export function Add({ children, onClick }: { children: string; onClick: () => void }) {
  return (
    <div>
      <button type="button" className={styles.quiet} onClick={onClick}>
        <Icon name="plus" />
        {children}
      </button>
    </div>
  );
}

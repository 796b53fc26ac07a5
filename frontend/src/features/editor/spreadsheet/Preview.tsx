import { NativeSelect } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useEditor } from '../context';
import { type Column, FIELDS, paramColumns } from './columns';
import styles from './Spreadsheet.module.css';

/** How many rows are shown. */
const SHOWN = 40;

interface Props {
  rows: readonly (readonly string[])[];
  /** The row that names the columns. */
  head?: readonly string[];
  columns: readonly Column[];
  onColumns: (columns: readonly Column[]) => void;
  leftOut: (row: number) => boolean;
}

/** The first rows. A choice over each column says what it holds. */
export function Preview({ rows, head, columns, onColumns, leftOut }: Props) {
  const { t } = useTranslation('spreadsheet');
  const { handlers } = useEditor();
  const nameOf = useColumnName();
  const offered = useMemo(() => {
    const others = columns.filter((column) => column !== '' && !(FIELDS as readonly string[]).includes(column));
    return [...new Set<Column>([...FIELDS, ...paramColumns(handlers), ...others])];
  }, [columns, handlers]);
  const choose = (at: number, column: Column) => {
    // No field has two columns: the other one is left out.
    onColumns(columns.map((one, i) => (i === at ? column : one === column ? '' : one)));
  };
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- for scrolling by keyboard
    <div className={styles.box} role="group" aria-label={t('preview')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('row')}</th>
            {columns.map((column, i) => (
              <th key={i} scope="col">
                <NativeSelect
                  size="xs"
                  aria-label={head?.[i] ?? t('column', { n: i + 1 })}
                  value={column}
                  onChange={(event) => {
                    choose(i, event.currentTarget.value);
                  }}
                  data={[{ value: '', label: t('skip') }, ...offered.map((value) => ({ value, label: nameOf(value) }))]}
                />
                {head && <small>{head[i]}</small>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((cells, row) => (
            <tr key={row} data-out={leftOut(row) || undefined}>
              <th scope="row">
                {row + (head ? 2 : 1)}
                {leftOut(row) && <span className="hg-visually-hidden"> {t('leftOut')}</span>}
              </th>
              {columns.map((column, i) => (
                <td key={i} data-out={column === '' || undefined} title={cells[i]}>
                  <bdi>{cells[i]}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > SHOWN && <p className={styles.more}>{t('moreRows', { count: rows.length - SHOWN })}</p>}
    </div>
  );
}

/** The name of what a column holds. */
export function useColumnName(): (column: Column) => string {
  const { t } = useTranslation('spreadsheet');
  return useCallback(
    (column) => {
      const field = FIELDS.find((one) => one === column);
      if (field) return t(`field.${field.replace('.', '_') as 'key'}`);
      const [group, ...name] = column.split('.');
      return t(group === 'labels' ? 'label' : 'param', { name: name.join('.') });
    },
    [t],
  );
}

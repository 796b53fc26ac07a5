import { Checkbox } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { type Column, COLUMNS, type Order } from './rows';
import styles from './TableView.module.css';

interface Props {
  order?: Order;
  onSort: (column: Column) => void;
  marked: number;
  of: number;
  onAll: (on: boolean) => void;
}

/** The heads of the columns. A click sorts by the column. */
export function Head({ order, onSort, marked, of, onAll }: Props) {
  const { t } = useTranslation('views');
  return (
    <thead>
      <tr>
        <th className={styles.check} scope="col">
          <Checkbox
            size="xs"
            aria-label={t('table.markAll')}
            checked={of > 0 && marked === of}
            indeterminate={marked > 0 && marked < of}
            onChange={(e) => {
              onAll(e.currentTarget.checked);
            }}
          />
        </th>
        {COLUMNS.map((column) => {
          const sorted = sortedOf(order, column);
          return (
            <th key={column} scope="col" aria-sort={sorted} data-column={column}>
              <button
                type="button"
                onClick={() => {
                  onSort(column);
                }}
              >
                {t(`column.${column}`)}
                <svg viewBox="0 0 8 8" width={8} height={8} aria-hidden="true" data-sorted={sorted}>
                  <path d="M1 5.5L4 2l3 3.5z" fill="currentColor" />
                </svg>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

function sortedOf(order: Order | undefined, column: Column): 'ascending' | 'descending' | 'none' {
  if (order?.column !== column) return 'none';
  return order.down ? 'descending' : 'ascending';
}

import { Button, Checkbox, NativeSelect, SegmentedControl, Textarea } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { check, type Doc, faultKind, faultText } from '@/document';
import { Dialog } from '@/ui';
import { applyAndTell } from '../applyAndTell';
import { useDoc, useEditor } from '../context';
import { cellsOf, MAX_ROWS } from './cells';
import { type Column, columnsOf, hasHead } from './columns';
import { type Existing, planSpreadsheet, spreadsheetCommand, type SpreadsheetPlan } from './plan';
import { Preview, useColumnName } from './Preview';
import { Remarks, type Remark } from './Remarks';
import styles from './Spreadsheet.module.css';

interface Props {
  text?: string;
  into?: string;
  opened: boolean;
  onClose: () => void;
}

const HOW = ['update', 'rename', 'skip'] as const;
/** The value of the choice of a new job: no key of a job. */
const NEW_JOB = '';

/** The rows of a text, the choices about them, and what they would make of the schedule. */
function useRows(first: string, firstJob: string | undefined) {
  const { handlers } = useEditor();
  const doc = useDoc((s) => s.doc);
  const [text, setText] = useState(first);
  const cells = useMemo(() => cellsOf(text), [text]);
  const [headChosen, setHead] = useState<boolean>();
  const head = headChosen ?? hasHead(cells.rows);
  const guessed = useMemo(() => columnsOf(cells.rows, head, handlers), [cells, head, handlers]);
  const [chosen, setChosen] = useState<readonly Column[]>();
  const columns = chosen ?? guessed;
  const [into, setInto] = useState(firstJob ?? doc.jobs.at(-1)?.key ?? NEW_JOB);
  const [existing, setExisting] = useState<Existing>('update');
  const rows = useMemo(() => cells.rows.slice(head ? 1 : 0, MAX_ROWS + (head ? 1 : 0)), [cells, head]);
  const plan = useMemo(
    () => planSpreadsheet(doc, { rows, columns, into: into || undefined, existing, handlers }),
    [doc, rows, columns, into, existing, handlers],
  );
  return {
    doc,
    filled: text.trim() !== '',
    rows,
    head: head ? (cells.rows[0] ?? []) : undefined,
    more: cells.more,
    columns,
    into,
    existing,
    plan,
    setInto,
    setExisting,
    setColumns: setChosen,
    setHead: (next: boolean) => {
      setHead(next);
      setChosen(undefined);
    },
    setText: (next: string) => {
      setText(next);
      setHead(undefined);
      setChosen(undefined);
    },
  };
}

/** Shows what rows of a spreadsheet would make of the schedule, and takes them in one step. */
export function SpreadsheetDialog({ text = '', into, opened, onClose }: Props) {
  const { t } = useTranslation(['spreadsheet', 'common']);
  const { store } = useEditor();
  const rows = useRows(text, into);
  const { doc, filled, plan } = rows;
  const [typed, setTyped] = useState('');
  const count = plan.added + plan.updated;
  const apply = () => {
    const command = spreadsheetCommand(plan);
    if (!command || store.getState().doc !== doc) return;
    applyAndTell(store, command, { done: t('spreadsheet:done', { count }), undo: t('spreadsheet:undo') });
    onClose();
  };
  return (
    <Dialog
      opened={opened}
      onClose={onClose}
      title={t('spreadsheet:title')}
      wide={filled}
      focusInside={!filled}
      footer={
        <>
          {filled && (
            <Button
              onClick={() => {
                rows.setText('');
              }}
            >
              {t('spreadsheet:again')}
            </Button>
          )}
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          {filled ? (
            <Button variant="filled" disabled={count === 0} onClick={apply}>
              {t('spreadsheet:apply', { count })}
            </Button>
          ) : (
            <Button
              variant="filled"
              disabled={typed.trim() === ''}
              onClick={() => {
                rows.setText(typed);
              }}
            >
              {t('spreadsheet:show')}
            </Button>
          )}
        </>
      }
    >
      {filled ? (
        <Filled {...rows} />
      ) : (
        <Textarea
          data-autofocus
          label={t('spreadsheet:rows')}
          description={t('spreadsheet:rowsHint')}
          rows={8}
          value={typed}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setTyped(value);
            // What is pasted is shown at once; who types is not interrupted.
            if ((event.nativeEvent as InputEvent).inputType === 'insertFromPaste') rows.setText(value);
          }}
        />
      )}
    </Dialog>
  );
}

/** The preview with its choices, and what the rows make. */
function Filled({ doc, rows, head, more, columns, into, existing, plan, ...set }: ReturnType<typeof useRows>) {
  const { t } = useTranslation('spreadsheet');
  const remarks = useRemarks(plan, head !== undefined);
  return (
    <>
      <div className={styles.choices}>
        <Checkbox
          size="xs"
          label={t('head')}
          checked={head !== undefined}
          onChange={(event) => {
            set.setHead(event.currentTarget.checked);
          }}
        />
        {!columns.includes('job') && <JobChoice doc={doc} into={into} onInto={set.setInto} />}
      </div>
      {plan.existing.length > 0 && (
        <ExistingChoice keys={plan.existing} existing={existing} onExisting={set.setExisting} />
      )}
      <Preview
        rows={rows}
        head={head}
        columns={columns}
        onColumns={set.setColumns}
        leftOut={(row) => plan.keys[row] === undefined}
      />
      {more && <p>{t('limit', { limit: MAX_ROWS })}</p>}
      <Sum plan={plan} />
      <Remarks remarks={remarks} />
    </>
  );
}

function JobChoice({ doc, into, onInto }: { doc: Doc; into: string; onInto: (job: string) => void }) {
  const { t } = useTranslation('spreadsheet');
  return (
    <NativeSelect
      size="xs"
      label={t('job')}
      description={t('jobHint')}
      inputWrapperOrder={['label', 'input', 'description']}
      value={into}
      onChange={(event) => {
        onInto(event.currentTarget.value);
      }}
      data={[
        ...doc.jobs.map((job) => ({ value: job.key, label: job.title ?? job.key })),
        { value: NEW_JOB, label: t('newJob') },
      ]}
    />
  );
}

/** How many keys of tasks that exist are named. */
const MAX_NAMED = 8;

interface ExistingProps {
  keys: readonly string[];
  existing: Existing;
  onExisting: (existing: Existing) => void;
}

function ExistingChoice({ keys, existing, onExisting }: ExistingProps) {
  const { t } = useTranslation('spreadsheet');
  const named = keys.slice(0, MAX_NAMED).join(', ') + (keys.length > MAX_NAMED ? ' …' : '');
  const label = t('existing', { count: keys.length, keys: named });
  return (
    <div className={styles.existing}>
      <p>{label}</p>
      <SegmentedControl
        size="xs"
        aria-label={label}
        value={existing}
        onChange={(next) => {
          onExisting(next as Existing);
        }}
        data={HOW.map((value) => ({ value, label: t(`how.${value}`) }))}
      />
    </div>
  );
}

function Sum({ plan: { added, updated, newJobs } }: { plan: SpreadsheetPlan }) {
  const { t } = useTranslation('spreadsheet');
  const parts = [
    t('added', { count: added }),
    ...(updated > 0 ? [t('updated', { count: updated })] : []),
    ...(newJobs.length > 0 ? [t('jobs', { count: newJobs.length, keys: newJobs.slice(0, MAX_NAMED).join(', ') })] : []),
  ];
  return (
    <p role="status">
      <b>{parts.join(t('comma'))}</b>
    </p>
  );
}

/** What is wrong with the rows, and what the editor would find in their tasks. */
function useRemarks(plan: SpreadsheetPlan, withHead: boolean): Remark[] {
  const { t } = useTranslation('spreadsheet');
  const { t: tDocument } = useTranslation('document');
  const { handlers } = useEditor();
  const nameOf = useColumnName();
  return useMemo(() => {
    const shown = (row: number) => row + (withHead ? 2 : 1);
    const ofRows = plan.faults.map(({ row, code, params, whole }): Remark => {
      const { column, other } = params;
      return {
        row: shown(row),
        whole,
        text: t(`fault.${code}`, {
          ...params,
          ...(column === undefined ? {} : { column: nameOf(String(column)) }),
          ...(other === undefined ? {} : { other: shown(Number(other)) }),
        }),
      };
    });
    const rowOf = new Map(plan.keys.flatMap((key, row) => (key === undefined ? [] : [[key, row] as const])));
    const ofTasks = check(plan.doc, handlers).flatMap((fault): Remark[] => {
      const row = rowOf.get(fault.task ?? '');
      if (row === undefined || faultKind(fault) === 'warning') return [];
      const { message, remedy } = faultText(tDocument, fault);
      return [{ row: shown(row), whole: false, text: [message, remedy].filter(Boolean).join(' ') }];
    });
    return [...ofRows, ...ofTasks].sort((a, b) => a.row - b.row);
  }, [plan, withHead, handlers, t, tDocument, nameOf]);
}

import { Button, SegmentedControl } from '@mantine/core';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorNote, NeedsServer, Page, PageHeader, serverNow, Skeleton, toast } from '@/ui';
import { ConflictDialog } from './ConflictDialog';
import { DayEditor } from './DayEditor';
import { type CalendarDoc, dayOf, importDays, markDays, yearOf, yearsOf } from './days';
import { DeleteCalendar } from './DeleteCalendar';
import { DraftBar } from './DraftBar';
import { Facts, Legend } from './Facts';
import { History } from './History';
import { ImportDialog } from './ImportDialog';
import { LeaveDialog } from './LeaveDialog';
import { SaveDialog } from './SaveDialog';
import { checkCalendarSearch, type CalendarSearch } from './search';
import { SettingsDialog } from './SettingsDialog';
import { type CalendarState, useCalendar } from './useCalendar';
import { useSelection, YEARS } from './useSelection';
import { YearGrid } from './YearGrid';
import styles from './Year.module.css';

const ACTIONS = ['import', 'settings', 'delete'] as const;
type OpenDialog = 'save' | 'conflict' | 'import' | 'settings' | 'delete';

/** A calendar: its days by year with their editor, and its history. */
export function CalendarPage() {
  const { t } = useTranslation(['calendars', 'common']);
  const { name = '' } = useParams({ strict: false });
  const state = useCalendar(name);
  const { query, calendar, doc, moved } = state;
  const { view } = checkCalendarSearch(useSearch({ strict: false }));
  const navigate = useNavigate();
  const goTo = (search: CalendarSearch) =>
    void navigate({ to: '.', search: (before) => ({ ...before, ...search }), replace: true });
  const [dialog, setDialog] = useState<OpenDialog>();
  return (
    <Page>
      <PageHeader
        title={name}
        above={
          <nav aria-label={t('calendars:crumbs')}>
            <Link to="/calendars">{t('common:nav.calendars')}</Link>
          </nav>
        }
        note={doc && [doc.title, doc.description].filter(Boolean).join(' · ')}
      >
        {doc && (
          <>
            <SegmentedControl
              size="xs"
              aria-label={t('calendars:view.label')}
              value={view ?? 'year'}
              onChange={(next) => {
                goTo({ view: next === 'history' ? 'history' : undefined });
              }}
              data={(['year', 'history'] as const).map((value) => ({ value, label: t(`calendars:view.${value}`) }))}
            />
            {ACTIONS.map((one) => (
              <NeedsServer key={one}>
                <Button
                  onClick={() => {
                    setDialog(one);
                  }}
                >
                  {t(`calendars:action.${one}`)}
                </Button>
              </NeedsServer>
            ))}
          </>
        )}
      </PageHeader>
      {query.isError && <ErrorNote error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Skeleton rows={3} />}
      {calendar && doc && (
        <>
          {view === 'history' ? (
            <History
              name={name}
              doc={doc}
              onRestore={(old, revision) => {
                state.edit(() => ({ ...old, name }));
                toast(t('calendars:history.restored', { revision }));
                goTo({ view: undefined });
              }}
            />
          ) : (
            <Year state={state} doc={doc} usedBy={calendar.usedBy} goTo={goTo} />
          )}
          <DraftBar
            state={state}
            onSave={() => {
              setDialog(moved ? 'conflict' : 'save');
            }}
            onConflict={() => {
              setDialog('conflict');
            }}
          />
          <Dialogs state={state} doc={doc} dialog={dialog} onDialog={setDialog} goTo={goTo} />
        </>
      )}
      <LeaveDialog dirty={state.dirty} />
    </Page>
  );
}

interface DialogsProps {
  state: CalendarState;
  doc: CalendarDoc;
  dialog: OpenDialog | undefined;
  onDialog: (dialog: OpenDialog | undefined) => void;
  goTo: (search: CalendarSearch) => void;
}

/** The open dialog of the page, if there is one. */
function Dialogs({ state, doc, dialog, onDialog, goTo }: DialogsProps) {
  const navigate = useNavigate();
  const close = () => {
    onDialog(undefined);
  };
  switch (dialog) {
    case 'save':
      return (
        <SaveDialog
          state={state}
          onClose={close}
          onConflict={() => {
            onDialog('conflict');
          }}
        />
      );
    case 'conflict':
      return <ConflictDialog state={state} onClose={close} />;
    case 'settings':
      return (
        <SettingsDialog
          doc={doc}
          onClose={close}
          onApply={(fields) => {
            state.edit((before) => withoutUnset({ ...before, ...fields }));
          }}
        />
      );
    case 'import':
      return (
        <ImportDialog
          doc={doc}
          onClose={close}
          onImport={(days) => {
            state.edit((before) => importDays(before, days));
            const [first] = yearsOf({ ...doc, ...days } as CalendarDoc) ?? [];
            goTo({ view: undefined, year: first });
          }}
        />
      );
    case 'delete':
      return (
        <DeleteCalendar
          calendar={{ name: doc.name, usedBy: state.calendar?.usedBy ?? [] }}
          onClose={close}
          onDeleted={() => {
            void navigate({ to: '/calendars', ignoreBlocker: true });
          }}
        />
      );
    case undefined:
      return null;
  }
}

/** The document without fields that are undefined. */
const withoutUnset = (doc: CalendarDoc): CalendarDoc =>
  Object.fromEntries(Object.entries(doc).filter(([, value]) => value !== undefined)) as unknown as CalendarDoc;

interface YearProps {
  state: CalendarState;
  doc: CalendarDoc;
  usedBy: readonly string[];
  goTo: (search: CalendarSearch) => void;
}

/** The year view: the months, the buttons for the other years, and the numbers of the year. */
function Year({ state, doc, usedBy, goTo }: YearProps) {
  const { t } = useTranslation('calendars');
  const [today] = useState(() => dayOf(new Date(serverNow()).toLocaleDateString('en-CA')));
  const { year = yearOf(today) } = checkCalendarSearch(useSearch({ strict: false }));
  const toYear = (next: number) => {
    goTo({ year: next });
  };
  const selection = useSelection({
    year,
    today,
    onYear: toYear,
    onClear: (range) => {
      state.edit((before) => markDays(before, range));
    },
  });
  const { range } = selection;
  const years = yearsOf(doc);
  return (
    <div className={styles.page}>
      <div>
        <div className={styles.bar}>
          <div className={styles.step}>
            <button
              type="button"
              aria-label={t('year.previous')}
              disabled={year <= YEARS.first}
              onClick={() => {
                toYear(year - 1);
              }}
            >
              ‹
            </button>
            <h2 aria-live="polite">{year}</h2>
            <button
              type="button"
              aria-label={t('year.next')}
              disabled={year >= YEARS.last}
              onClick={() => {
                toYear(year + 1);
              }}
            >
              ›
            </button>
          </div>
          <Legend />
          <p className={styles.keys}>{t('keys')}</p>
        </div>
        {(!years || year < years[0] || year > years[1]) && <p className={styles.unknown}>{t('unknown', { year })}</p>}
        <YearGrid
          {...{ year, doc, today, selection }}
          changed={state.changed}
          editor={
            <DayEditor
              doc={doc}
              range={range}
              onClose={selection.close}
              onApply={(days, marked) => {
                state.edit((before) => markDays(before, days, marked));
                selection.close();
              }}
            />
          }
        />
        <p role="status" className="hg-visually-hidden">
          {range.from < range.to && t('selected', { count: range.to - range.from + 1 })}
        </p>
      </div>
      <Facts year={year} doc={doc} usedBy={usedBy} />
    </div>
  );
}

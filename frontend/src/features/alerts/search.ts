import { withInvalidUnset } from '@/ui/searchParams';

/** The views of the page, in the order of the tabs. */
export const VIEWS = ['problems', 'log', 'rules', 'channels'] as const;
/** A view of the page. */
export type AlertsView = (typeof VIEWS)[number];

/** The times to choose from, as the API takes them. */
export const AGES = ['24h', '7d', '30d'] as const;
type Age = (typeof AGES)[number];

/** The search part of the address of the alerts page. */
export interface AlertsSearch {
  /** The open problems if it is left out. */
  view?: AlertsView;
  /** Only problems and reports about this schedule. */
  schedule?: string;
  /** Only reports of this time up to now; for the log. */
  since?: Age;
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkAlertsSearch(s: Record<string, unknown>): AlertsSearch {
  const named = (typeof s.schedule === 'string' || typeof s.schedule === 'number') && s.schedule !== '';
  return withInvalidUnset(
    {
      view: VIEWS.find((view) => view === s.view && view !== 'problems'),
      schedule: named ? String(s.schedule) : undefined,
      since: AGES.find((age) => age === s.since),
    },
    s,
  );
}

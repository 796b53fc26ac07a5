import { withInvalidUnset } from '@/ui/searchParams';

/** The views of the page, in the order of the tabs. */
export const VIEWS = ['problems', 'log', 'rules', 'channels'] as const;
/** A view of the page. */
export type AlertsView = (typeof VIEWS)[number];

/** The search part of the address of the alerts page. */
export interface AlertsSearch {
  /** The open problems if it is left out. */
  view?: AlertsView;
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkAlertsSearch(s: Record<string, unknown>): AlertsSearch {
  return withInvalidUnset({ view: VIEWS.find((view) => view === s.view && view !== 'problems') }, s);
}

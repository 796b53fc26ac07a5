import { withInvalidUnset } from '@/ui/searchParams';

/** The views of the page, in the order of the tabs. */
export const VIEWS = ['secrets', 'connections'] as const;

/** The search part of the address of the page. */
export interface SecretsSearch {
  /** The secrets if it is left out. */
  view?: (typeof VIEWS)[number];
}

/** Checks the search part of an address. An invalid value is left out. */
export function checkSecretsSearch(s: Record<string, unknown>): SecretsSearch {
  return withInvalidUnset({ view: VIEWS.find((view) => view === s.view && view !== 'secrets') }, s);
}

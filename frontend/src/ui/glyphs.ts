import type { ShownState } from './states';

/** The symbols of states, as paths in a square of 16. */
export const GLYPHS: Readonly<Record<ShownState, string>> = {
  waiting: 'M8 4.6V8l2.4 1.6',
  queued: 'M4.6 5.4h6.8M4.6 8h6.8M4.6 10.6h4',
  ready: 'M6 4.8l5 3.2-5 3.2z',
  retrying: 'M11.6 6.2A4.2 4.2 0 1 0 12.2 9M12 3.6v2.8H9.2',
  running: 'M8 3.2a4.8 4.8 0 1 1-4.6 3.5',
  succeeded: 'M4.5 8.5l2.3 2.3 4.7-5.2',
  failed: 'M5 5l6 6M11 5l-6 6',
  canceled: 'M5 5h6v6H5z',
  unknown: 'M6.2 6.3a1.9 1.9 0 1 1 2.7 1.8c-.6.3-.9.7-.9 1.3M8 11.6v.1',
  skipped: 'M4 5l3.4 3L4 11M9 5l3.4 3L9 11',
  ignored: 'M4.6 8h6.8',
  paused: 'M6.2 5v6M9.8 5v6',
  none: 'M8 7.9v.2',
};

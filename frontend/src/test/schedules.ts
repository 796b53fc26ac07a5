/** An answer of the overview. */
export const OVERVIEW = {
  needsPerson: 1,
  running: 2,
  queued: 0,
  late: 0,
  succeeded: 987,
  ended: 1000,
  executors: 3,
  slots: 48,
  busy: 2,
};

/** An answer of the night without batches. */
export const NIGHT = {
  now: '2026-11-21T11:30:00.000Z',
  from: '2026-11-20T23:30:00.000Z',
  to: '2026-11-21T23:30:00.000Z',
  schedules: 1,
  rows: [] as unknown[],
  slots: {
    usedFrom: '2026-11-20T23:30:00.000Z',
    used: [1],
    wantedUntil: '2026-11-21T23:30:00.000Z',
    wanted: [2],
    there: 4,
    unknown: 0,
  },
};

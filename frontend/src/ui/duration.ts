const DAY = 86_400_000;
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  毫秒: 1,
  s: 1000,
  sec: 1000,
  secs: 1000,
  second: 1000,
  seconds: 1000,
  秒: 1000,
  秒钟: 1000,
  m: 60_000,
  min: 60_000,
  mins: 60_000,
  minute: 60_000,
  minutes: 60_000,
  分: 60_000,
  分钟: 60_000,
  h: 3_600_000,
  hr: 3_600_000,
  hrs: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
  时: 3_600_000,
  小时: 3_600_000,
  d: DAY,
  day: DAY,
  days: DAY,
  天: DAY,
  日: DAY,
  w: 7 * DAY,
  week: 7 * DAY,
  weeks: 7 * DAY,
  周: 7 * DAY,
};

/** The longest duration that the server accepts: 36,500 days. */
const LONGEST = 36_500 * DAY;

/**
 * Parses a duration in one of many notations to milliseconds: `30s`, `10 min`, `1h30m`, `1,5 h`, `2 days`, `1:30:00`. A
 * number without a unit is in seconds. Undefined if the text is not a duration.
 */
export function readDuration(text: string): number | undefined {
  const clean = text.trim().toLowerCase();
  const clock = /^(\d+):([0-5]\d)(?::([0-5]\d))?$/.exec(clean);
  if (clock) {
    const [, a, b, c] = clock;
    return within(
      c === undefined ? (Number(a) * 60 + Number(b)) * 1000 : (Number(a) * 3600 + Number(b) * 60 + Number(c)) * 1000,
    );
  }
  if (/^\d+(?:[.,]\d+)?$/.test(clean)) return within(number(clean) * 1000);
  if (!/^(?:\d+(?:[.,]\d+)?\s*[a-z\u4e00-\u9fff]+\s*)+$/.test(clean)) return undefined;
  let sum = 0;
  for (const [, n = '', unit = ''] of clean.matchAll(/(\d+(?:[.,]\d+)?)\s*([a-z\u4e00-\u9fff]+)/g)) {
    const size = UNITS[unit];
    if (size === undefined) return undefined;
    sum += number(n) * size;
  }
  return within(sum);
}

const number = (text: string) => Number(text.replace(',', '.'));
const within = (ms: number) => (Number.isFinite(ms) && ms <= LONGEST ? Math.round(ms) : undefined);

/** Formats a duration in milliseconds for a document: `30s`, `1h30m`, `2d`, `0s`. */
export function writeDuration(ms: number): string {
  let remaining = ms;
  const parts: string[] = [];
  for (const [unit, size] of [
    ['d', DAY],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    const n = Math.floor(remaining / size);
    remaining -= n * size;
    if (n > 0) parts.push(`${String(n)}${unit}`);
  }
  return parts.join('') || '0s';
}

const NS: Readonly<Record<string, number>> = { ns: 1, us: 1e3, µs: 1e3, μs: 1e3, ms: 1e6, s: 1e9, m: 6e10, h: 3.6e12 };
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;
const WHOLE = /^\+?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const MOST = 2 ** 63; // nanoseconds that the server can count

/**
 * Reads a duration such as `30s`, `1h30m`, `2d` or `1d12h`, as the server does: milliseconds, or undefined if it is
 * none.
 */
export function parseDuration(text: string): number | undefined {
  const [, days, rest = ''] = /^(?:(\+?\d{1,10})d)?(.*)$/s.exec(text) ?? [];
  if (days !== undefined && Number(days) > 36_500) return undefined;
  let ns = Number(days ?? 0) * 8.64e13;
  if (rest !== '' || Number(days ?? 0) === 0) {
    if (!WHOLE.test(rest)) return undefined;
    for (const [, amount, unit = ''] of rest.matchAll(PART)) ns += Number(amount) * (NS[unit] ?? 0);
  }
  return ns < MOST ? ns / 1e6 : undefined;
}

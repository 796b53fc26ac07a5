/** Moments told by the clock on a wall: texts as `2026-11-21T03:20`, with seconds or without, in a named zone. */

const parts = (zone: string) =>
  new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

/** What the clock of the zone shows at a moment (milliseconds since 1970), to the second. */
export function wallAt(at: number, zone: string): string {
  return parts(zone).format(new Date(at)).replace(', ', 'T');
}

/**
 * The moment at which the zone's clock shows a text; the earlier one if it does so twice. Undefined if it never does:
 * clocks are put forward over it, or it is no time.
 */
export function momentOf(wall: string, zone: string): Date | undefined {
  const text = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(wall) ? `${wall}:00` : wall;
  const asUtc = Date.parse(`${text}Z`);
  if (Number.isNaN(asUtc)) return undefined;
  const DAY = 86_400_000;
  // Offsets change by less than a day: those before and after are all that can apply.
  const offsets = [asUtc - DAY, asUtc + DAY].map((at) => Date.parse(`${wallAt(at, zone)}Z`) - at);
  return offsets
    .map((offset) => new Date(asUtc - offset))
    .sort((a, b) => a.getTime() - b.getTime())
    .find((at) => wallAt(at.getTime(), zone) === text);
}

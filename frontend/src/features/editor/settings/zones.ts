/** The names of the time zones that the browser supports, UTC first. */
export const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** Whether the browser supports a time zone. */
export function isZone(zone: string): boolean {
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}

/** The time of day in a zone at a moment (milliseconds since 1970): `13:20`. Empty for an unknown zone. */
export function timeIn(zone: string, at: number): string {
  return isZone(zone)
    ? new Intl.DateTimeFormat('en-GB', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(
        at,
      )
    : '';
}

const offset = (zone: string, at: number) =>
  new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;

/** Whether the clocks of a zone change within the year after a moment (milliseconds since 1970). */
export function hasDaylightSaving(zone: string, at: number): boolean {
  if (!isZone(zone)) return false;
  const month = 30 * 86_400_000;
  return new Set(Array.from({ length: 12 }, (_, i) => offset(zone, at + i * month))).size > 1;
}

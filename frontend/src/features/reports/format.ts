/** A share such as 98.5 %. It is only 100 % if nothing is missing. */
export function percent(share: number, language: string): string {
  const rounded = share < 1 ? Math.min(Math.round(share * 1000) / 1000, 0.999) : 1;
  return rounded.toLocaleString(language, { style: 'percent', maximumFractionDigits: 1 });
}

/** A change such as +12 %. */
export function change(share: number, language: string): string {
  return share.toLocaleString(language, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
}

/** Days such as 27 Nov, for an axis. */
export function shortDays(days: readonly string[], language: string): string[] {
  const format = new Intl.DateTimeFormat(language, { timeZone: 'UTC', day: 'numeric', month: 'short' });
  return days.map((d) => format.format(new Date(`${d}T00:00:00Z`)));
}

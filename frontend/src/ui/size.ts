const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** A size in its largest unit, with the number as the language writes it: `512 B`, `63.1 GiB`. */
export function size(bytes: number, language: string): string {
  let value = bytes;
  let unit = 'B';
  for (const larger of UNITS) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  const digits = unit === 'B' || value >= 100 ? 0 : 1;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: digits }).format(value)} ${unit}`;
}

/**
 * What the server says by a reason and its params, in the reader's language: `text` looks the reason's text up. Empty if there
 * is none, or if it speaks of something that the server does not tell.
 */
export function told(text: (options: object) => string, values: Readonly<Record<string, string | number>>): string {
  const holes = text({ defaultValue: '', skipInterpolation: true }).matchAll(/\{\{(\w+)\}\}/g);
  for (const [, hole = ''] of holes) if (!Object.hasOwn(values, hole) || values[hole] === '') return '';
  return text({ defaultValue: '', ...values });
}

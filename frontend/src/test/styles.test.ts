import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && file !== 'test/styles.test.ts',
);

/** The classes that a source reads from CSS modules beside it, and that those do not have. */
function missing(folder: string, source: string): string[] {
  return [...source.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, name = '', from = '']) => {
    const css = readFileSync(join(folder, from), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    const defined = new Set([...css.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(([, it]) => it));
    return [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))]
      .map(([, it = '']) => it)
      .filter((it) => !defined.has(it))
      .map((it) => `${it} of ${from}`);
  });
}

// The compiler cannot see this: an element with a class that does not exist has no style.
describe('the classes of CSS modules', () => {
  it.each(files)('that %s uses are there', (file) => {
    expect(missing(dirname(join(src, file)), readFileSync(join(src, file), 'utf8'))).toEqual([]);
  });
  it('are missed where they are not', () => {
    const source = "import styles from './RadialMenu.module.css';\nstyles.menu; styles.nothingLikeThis;";
    expect(missing(join(src, 'features/editor/canvas'), source)).toEqual([
      'nothingLikeThis of ./RadialMenu.module.css',
    ]);
  });
});

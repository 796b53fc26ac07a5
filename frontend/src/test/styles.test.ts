import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const src = resolve(import.meta.dirname, '..');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (file) => /\.tsx?$/.test(file) && file !== 'test/styles.test.ts',
);

/** The classes that a source uses, but its CSS modules do not define. */
function missingClasses(folder: string, source: string): string[] {
  return [...source.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)].flatMap(([, name = '', from = '']) => {
    const css = readFileSync(join(folder, from), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
    const defined = new Set([...css.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(([, className]) => className));
    return [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))]
      .map(([, className = '']) => className)
      .filter((className) => !defined.has(className))
      .map((className) => `${className} of ${from}`);
  });
}

// The compiler does not check this: an element with a missing class has no style.
describe('the classes of CSS modules', () => {
  it.each(files)('that %s uses exist', (file) => {
    expect(missingClasses(dirname(join(src, file)), readFileSync(join(src, file), 'utf8'))).toEqual([]);
  });
  it('are reported if they do not exist', () => {
    const source = "import styles from './RadialMenu.module.css';\nstyles.menu; styles.notDefined;";
    expect(missingClasses(join(src, 'features/editor/canvas'), source)).toEqual([
      'notDefined of ./RadialMenu.module.css',
    ]);
  });
});

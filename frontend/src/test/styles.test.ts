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

/** The classes that a CSS module defines, but none of the sources that import it uses. */
function unusedClasses(module: string): string[] {
  const css = readFileSync(join(src, module), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const used = new Set(
    files.flatMap((file) => {
      const source = readFileSync(join(src, file), 'utf8');
      return [...source.matchAll(/import (\w+) from '(\.[^']+\.module\.css)'/g)]
        .filter(([, , from = '']) => join(dirname(file), from) === module)
        .flatMap(([, name = '']) =>
          [...source.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, used]) => used),
        );
    }),
  );
  const defined = new Set([...css.matchAll(/\.([A-Za-z_][\w-]*)/g)].map(([, className = '']) => className));
  return [...defined].filter((className) => !used.has(className) && !className.startsWith('react-flow__'));
}

// The compiler does not check this: an element with a missing class has no style.
describe('the classes of CSS modules', () => {
  it.each(files)('that %s uses exist', (file) => {
    expect(missingClasses(dirname(join(src, file)), readFileSync(join(src, file), 'utf8'))).toEqual([]);
  });
  it('are all used', () => {
    const modules = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.module.css'),
    );
    expect(modules.length).toBeGreaterThan(50);
    expect(modules.flatMap((module) => unusedClasses(module).map((className) => `${className} of ${module}`))).toEqual(
      [],
    );
  });
  it('are reported if they do not exist', () => {
    const source = "import styles from './ContextMenu.module.css';\nstyles.menu; styles.notDefined;";
    expect(missingClasses(join(src, 'features/editor/canvas'), source)).toEqual([
      'notDefined of ./ContextMenu.module.css',
    ]);
  });
});

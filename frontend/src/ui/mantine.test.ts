import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = process.cwd();
const styles = join(root, 'node_modules/@mantine/core/styles');
const sources = (dir: string): string[] =>
  readdirSync(dir, { withFileTypes: true }).flatMap((f) =>
    f.isDirectory() ? sources(join(dir, f.name)) : /\.tsx?$/.test(f.name) ? [join(dir, f.name)] : [],
  );

it('imports the styles of every used Mantine component', () => {
  const css = readFileSync(join(root, 'frontend/src/ui/mantine.ts'), 'utf8');
  const used = new Set(
    sources(join(root, 'frontend/src')).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)].flatMap((m) =>
        (m[1] ?? '')
          .split(',')
          .map((name) => name.trim().replace(/ as .*/, ''))
          .filter((name) => /^[A-Z]/.test(name)),
      ),
    ),
  );
  expect(used.size).toBeGreaterThan(5);
  const missing = [...used].filter(
    (name) => existsSync(join(styles, `${name}.layer.css`)) && !css.includes(`/${name}.layer.css`),
  );
  expect(missing).toEqual([]);
});

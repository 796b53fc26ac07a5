import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { preProcessFile } from 'typescript';
import { expect, test } from 'vitest';
import { pure, walls } from '../../walls.js';

const src = resolve(import.meta.dirname, '..');
const isTest = /\.test\.|(^|\/)(testing|fixtures)\.|^test\//;

/** The rows of the table in the README: folder, meaning, and allowed imports. */
const rows = readFileSync(resolve(src, '../README.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| `src\/(\w+)` \| (.*) \| (.*)\|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, folder = '', meaning = '', allowed = '']) => ({ folder, meaning, allowed: allowed.trim() }));

function fileOf(source: string, from: string): string | undefined {
  const path = source.startsWith('@/') ? join(src, source.slice(2)) : resolve(dirname(from), source);
  if (!source.startsWith('@/') && !source.startsWith('.')) return undefined;
  const files = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].map((ending) => path + ending);
  return files.find((file) => existsSync(file) && statSync(file).isFile());
}

/** The imports of each product file, including types. Paths are relative to src. */
function imports(): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !isTest.test(file));
  return new Map(
    code.map((file) => {
      const path = join(src, file);
      const { importedFiles } = preProcessFile(readFileSync(path, 'utf8'));
      const targets = importedFiles
        .map(({ fileName }) => fileOf(fileName, path))
        .filter((target) => target !== undefined);
      return [file, targets.map((target) => relative(src, target))];
    }),
  );
}

/** The strongly connected components with more than one node, by Tarjan's algorithm. */
function cyclesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const [index, low, stack, cycles] = [
    new Map<string, number>(),
    new Map<string, number>(),
    [] as string[],
    [] as string[][],
  ];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    stack.push(node);
    let lowest = own;
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next));
      else if (stack.includes(next)) lowest = Math.min(lowest, low.get(next) ?? own);
      low.set(node, lowest);
    }
    low.set(node, lowest);
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) cycles.push(group.sort());
    }
    return lowest;
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return cycles;
}

test('the table in the README equals the rules of the linter', () => {
  const table = rows.filter(({ folder }) => folder !== 'app');
  expect(Object.fromEntries(table.map(({ folder, allowed }) => [folder, allowed ? allowed.split(', ') : []]))).toEqual(
    Object.fromEntries(
      Object.entries(walls).map(([folder, allowed]) => [folder, allowed.map((path) => `\`${path}\``)]),
    ),
  );
  expect(rows.find(({ folder }) => folder === 'app')?.allowed).toBe('everything');
  expect(table.filter(({ meaning }) => meaning.endsWith('; pure')).map(({ folder }) => folder)).toEqual(pure);
});

test('each folder has a row', () => {
  const folders = readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory() && name !== 'test');
  expect(rows.map(({ folder }) => folder).sort()).toEqual(folders.sort());
});

test('there is no cycle of imports between files, including types', () => {
  expect(cyclesOf(imports())).toEqual([]);
});

test('there is no cycle of imports between folders', () => {
  const area = (file: string) =>
    file
      .split('/')
      .slice(0, file.startsWith('features/') ? 2 : 1)
      .join('/');
  const areas = new Map<string, string[]>();
  for (const [file, used] of imports()) areas.set(area(file), [...(areas.get(area(file)) ?? []), ...used.map(area)]);
  expect(cyclesOf(areas)).toEqual([]);
});

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { preProcessFile } from 'typescript';
import { expect, test } from 'vitest';
import { pure, walls } from '../../walls.js';

const src = resolve(import.meta.dirname, '..');
const isTest = /\.test\.|(^|\/)(testing|fixtures)\.|^test\//;

/** The rows of the README's table: folder, meaning, and the folders that it may import. */
const rows = readFileSync(resolve(src, '../README.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| `src\/(\w+)` \| (.*) \| (.*)\|$/.exec(line))
  .filter((row) => row !== null)
  .map(([, folder = '', meaning = '', may = '']) => ({ folder, meaning, may: may.trim() }));

function fileOf(source: string, from: string): string | undefined {
  const path = source.startsWith('@/') ? join(src, source.slice(2)) : resolve(dirname(from), source);
  if (!source.startsWith('@/') && !source.startsWith('.')) return undefined;
  const files = ['', '.ts', '.tsx', '/index.ts', '/index.tsx'].map((ending) => path + ending);
  return files.find((file) => existsSync(file) && statSync(file).isFile());
}

/** What each product file imports, types included; paths from src. */
function imports(): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' });
  const code = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !isTest.test(file));
  return new Map(
    code.map((file) => {
      const path = join(src, file);
      const { importedFiles } = preProcessFile(readFileSync(path, 'utf8'));
      const found = importedFiles.map(({ fileName }) => fileOf(fileName, path)).filter((one) => one !== undefined);
      return [file, found.map((one) => relative(src, one))];
    }),
  );
}

/** The groups of nodes that reach each other, by Tarjan's algorithm. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const [index, low, stack, found] = [
    new Map<string, number>(),
    new Map<string, number>(),
    [] as string[],
    [] as string[][],
  ];
  const visit = (node: string): number => {
    const own = index.size;
    index.set(node, own);
    stack.push(node);
    let least = own;
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) least = Math.min(least, visit(next));
      else if (stack.includes(next)) least = Math.min(least, low.get(next) ?? own);
      low.set(node, least);
    }
    low.set(node, least);
    if (least === own) {
      const group = stack.splice(stack.indexOf(node));
      if (group.length > 1) found.push(group.sort());
    }
    return least;
  };
  for (const node of graph.keys()) if (!index.has(node)) visit(node);
  return found;
}

test('the table of the README is the one that the linter enforces', () => {
  const table = rows.filter(({ folder }) => folder !== 'app');
  expect(Object.fromEntries(table.map(({ folder, may }) => [folder, may ? may.split(', ') : []]))).toEqual(
    Object.fromEntries(Object.entries(walls).map(([folder, may]) => [folder, may.map((one) => `\`${one}\``)])),
  );
  expect(rows.find(({ folder }) => folder === 'app')?.may).toBe('everything');
  expect(table.filter(({ meaning }) => meaning.endsWith('; pure')).map(({ folder }) => folder)).toEqual(pure);
});

test('each folder has its row', () => {
  const folders = readdirSync(src).filter((name) => statSync(join(src, name)).isDirectory() && name !== 'test');
  expect(rows.map(({ folder }) => folder).sort()).toEqual(folders.sort());
});

test('no file imports itself by others, not even for a type', () => {
  expect(circles(imports())).toEqual([]);
});

test('no folder imports itself by others', () => {
  const area = (file: string) =>
    file
      .split('/')
      .slice(0, file.startsWith('features/') ? 2 : 1)
      .join('/');
  const areas = new Map<string, string[]>();
  for (const [file, used] of imports()) areas.set(area(file), [...(areas.get(area(file)) ?? []), ...used.map(area)]);
  expect(circles(areas)).toEqual([]);
});

// Prints the measures of the front end as JSON: { name: [place, …] }. The Go program beside it runs this from the
// root of the project.
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';

const longFunction = 100;
const longFile = 400;
const longLine = 120;
const roots = ['frontend', 'e2e/ui'];
const skipped = new Set(['node_modules', 'dist', 'schema.d.ts']);

function sources(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name);
    if (skipped.has(entry.name)) return [];
    if (entry.isDirectory()) return sources(name);
    return /\.(tsx?|mjs|js)$/.test(entry.name) ? [name] : [];
  });
}

const files = roots.flatMap(sources).map((name) => {
  const text = readFileSync(name, 'utf8');
  return { name, text, ast: ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true) };
});
const isTest = (name) => /\.test\.tsx?$/.test(name) || name.startsWith('e2e/') || name.startsWith('frontend/src/test/');
const lineOf = (ast, pos) => ast.getLineAndCharacterOfPosition(pos).line + 1;

function longFunctions({ name, ast }) {
  const places = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body !== undefined) {
      const start = lineOf(ast, node.getStart());
      const lines = lineOf(ast, node.end) - start + 1;
      const called = node.name?.getText() ?? node.parent?.name?.getText?.() ?? 'a function';
      // A describe block of a test is a list, not a function that one reads as a whole.
      if (lines > longFunction && !isTest(name)) places.push(`${name}:${start}: ${called} has ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ast);
  return places;
}

function undocumented({ name, ast }) {
  if (isTest(name) || !name.startsWith('frontend/src/')) return [];
  return ast.statements.flatMap((statement) => {
    const exported =
      ts.canHaveModifiers(statement) && ts.getModifiers(statement)?.some((m) => m.kind === ts.SyntaxKind.ExportKeyword);
    if (!exported) return [];
    const before = ts.getLeadingCommentRanges(ast.text, statement.pos) ?? [];
    if (before.length > 0) return [];
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.map((d) => d.name.getText())
      : [statement.name?.getText() ?? 'default'];
    return names.map((n) => `${name}:${lineOf(ast, statement.getStart())}: ${n} has no doc comment`);
  });
}

function longLines({ name, text }) {
  return text
    .split('\n')
    .flatMap((line, i) => ([...line].length > longLine ? [`${name}:${i + 1}: ${[...line].length} columns`] : []));
}

/** Circles of imports between files, by value or by type: one place for each group of files that reach each other. */
function circles() {
  const known = new Map(files.map((f) => [resolve(f.name), f]));
  const find = (from, spec) => {
    const base = spec.startsWith('@/') ? resolve('frontend/src', spec.slice(2)) : resolve(dirname(from), spec);
    return [base, `${base}.ts`, `${base}.tsx`, join(base, 'index.ts'), join(base, 'index.tsx')].find((p) =>
      known.has(p),
    );
  };
  const uses = new Map();
  for (const [path, { ast }] of known) {
    const to = [];
    const visit = (node) => {
      const spec = (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier?.text;
      if (spec && (spec.startsWith('.') || spec.startsWith('@/'))) to.push(find(path, spec));
      ts.forEachChild(node, visit);
    };
    visit(ast);
    uses.set(path, to.filter(Boolean));
  }
  return components(uses)
    .filter((group) => group.length > 1)
    .map((group) =>
      group
        .map((p) => known.get(p).name)
        .sort()
        .join(' ↔ '),
    );
}

/** Strongly connected components, by Tarjan. */
function components(uses) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const found = [];
  const visit = (at) => {
    index.set(at, index.size);
    low.set(at, index.get(at));
    stack.push(at);
    for (const to of uses.get(at) ?? []) {
      if (!index.has(to)) visit(to);
      if (stack.includes(to)) low.set(at, Math.min(low.get(at), low.get(to)));
    }
    if (low.get(at) === index.get(at)) found.push(stack.splice(stack.indexOf(at)));
  };
  for (const at of uses.keys()) if (!index.has(at)) visit(at);
  return found;
}

console.log(
  JSON.stringify({
    'ts-functions': files.flatMap(longFunctions),
    'ts-undocumented': files.flatMap(undocumented),
    'ts-files': files.flatMap(({ name, text }) => {
      const lines = text.split('\n').length - 1;
      return lines > longFile ? [`${name}: ${lines} lines`] : [];
    }),
    'ts-lines': files.flatMap(longLines),
    'ts-circles': circles(),
  }),
);

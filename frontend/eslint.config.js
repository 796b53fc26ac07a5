import js from '@eslint/js';
import i18next from 'eslint-plugin-i18next';
import importX from 'eslint-plugin-import-x';
import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import ts from 'typescript-eslint';
import { pure, walls } from './walls.js';

const src = resolve(import.meta.dirname, 'src');
const tests = ['**/*.test.{ts,tsx}', '**/testing.{ts,tsx}', '**/fixtures.ts', 'frontend/src/test/**'];

/** Resolves an import from src, relative or by `@/`. The walls do not concern packages. */
const resolver = {
  interfaceVersion: 3,
  name: 'src',
  resolve: (source, from) => {
    if (!source.startsWith('@/') && !source.startsWith('.')) return { found: false };
    const path = source.startsWith('@/') ? resolve(src, source.slice(2)) : resolve(dirname(from), source);
    const file = ['', '.ts', '.tsx', '.d.ts', '/index.ts', '/index.tsx']
      .map((ending) => path + ending)
      .find((one) => existsSync(one) && statSync(one).isFile());
    return file ? { found: true, path: file } : { found: false };
  },
};

const zones = [
  ...Object.entries(walls).map(([folder, may]) => ({
    target: `${src}/${folder}`,
    from: src,
    except: [folder, ...may].map((path) => `./${path}`),
    message: 'See the table of folders in frontend/README.md.',
  })),
  // A feature may import another one only by its index.
  ...readdirSync(`${src}/features`).map((feature, _, all) => ({
    target: `${src}/features/${feature}`,
    from: `${src}/features`,
    except: all.flatMap((one) => (one === feature ? [`./${one}`] : [`./${one}/index.ts`, `./${one}/index.tsx`])),
    message: 'Import another feature by its index.',
  })),
];

export default ts.config(
  { ignores: ['**/schema.d.ts', 'assets/**', '**/dist/**'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...ts.configs.stylistic,
  hooks.configs.flat['recommended-latest'] ?? hooks.configs['recommended-latest'],
  a11y.flatConfigs.strict,
  {
    plugins: { i18next },
    languageOptions: { globals: { ...globals.browser, ...globals.es2023 } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      'no-console': 'error',
      eqeqeq: ['error', 'smart'],
      'max-lines': ['error', 400],
      complexity: ['error', 15],
      '@typescript-eslint/consistent-type-definitions': ['error', 'interface'],
      '@typescript-eslint/no-non-null-assertion': 'error',
    },
  },
  {
    files: ['frontend/src/**/*.tsx'],
    rules: {
      'i18next/no-literal-string': [
        'error',
        {
          mode: 'jsx-only',
          'jsx-attributes': { include: ['label', 'title', 'placeholder', 'aria-label', 'alt', 'description'] },
        },
      ],
    },
  },
  {
    files: ['frontend/src/**/*.{ts,tsx}'],
    ignores: tests,
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [resolver] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'max-lines-per-function': ['error', 100],
    },
  },
  {
    files: pure.map((folder) => `frontend/src/${folder}/**`),
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['react', 'react-*'], message: 'This folder is pure: no React.' }] },
      ],
    },
  },
  {
    files: [...tests, 'e2e/ui/**', 'frontend/scripts/**', 'frontend/bench/**', 'frontend/*.{ts,js}'],
    languageOptions: { globals: { ...globals.node } },
    rules: {
      'i18next/no-literal-string': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);

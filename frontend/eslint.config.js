import js from '@eslint/js';
import i18next from 'eslint-plugin-i18next';
import a11y from 'eslint-plugin-jsx-a11y';
import hooks from 'eslint-plugin-react-hooks';
import globals from 'globals';
import ts from 'typescript-eslint';

// Shared parts know no feature, features know each other only by their index, and only app knows all of them.
const shared = ['ui', 'api', 'live', 'i18n', 'graph', 'scene', 'document', 'cron'].map((d) => `frontend/src/${d}/**`);

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
      'max-lines': ['error', { max: 450, skipBlankLines: true, skipComments: true }],
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
    files: shared,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@/features/*', '@/app/*', '**/features/**'], message: 'Shared parts know no feature.' },
          ],
        },
      ],
    },
  },
  {
    files: ['frontend/src/document/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['react', 'react-*', '@/ui', '@/live', '@/scene', '@/features/*', '@/app/*'],
              message: 'The document is pure: no page, no React.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['frontend/src/graph/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!@/api/definition$|vitest$|fast-check$|\\./)',
              message: 'The graph is pure: it imports types of the API only.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['frontend/src/features/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@/app/*'], message: 'Features do not know the app.' },
            { group: ['@/features/*/*'], message: 'Import another feature by its index.' },
          ],
        },
      ],
    },
  },
  {
    files: [
      '**/*.test.{ts,tsx}',
      'frontend/src/test/**',
      'e2e/ui/**',
      'frontend/scripts/**',
      'frontend/bench/**',
      'frontend/*.{ts,js}',
    ],
    languageOptions: { globals: { ...globals.node } },
    rules: {
      'i18next/no-literal-string': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
);

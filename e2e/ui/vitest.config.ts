import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// The browser tests, with a real server, a real executor and a real Chromium. Each file starts its own server and its
// own browser, so two files can run at the same time.
export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  test: {
    include: ['**/*.test.ts'],
    setupFiles: './harness/failed.ts',
    globalSetup: './harness/postgres.ts',
    testTimeout: 600_000,
    hookTimeout: 300_000,
    maxWorkers: 2,
    reporters: [
      'default',
      ['json', { outputFile: fileURLToPath(new URL('../../bin/times/ui.json', import.meta.url)) }],
      fileURLToPath(new URL('./harness/summary.ts', import.meta.url)),
    ],
  },
});

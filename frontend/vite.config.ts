import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

// The server of `npm run dev`. With HIVEGO_TOKEN, no login is needed.
const server = process.env.HIVEGO_SERVER ?? 'http://127.0.0.1:3000';
// The server accepts only requests from its own origin.
const headers: Record<string, string> = {
  Origin: server,
  ...(process.env.HIVEGO_TOKEN ? { Authorization: `Bearer ${process.env.HIVEGO_TOKEN}` } : {}),
};

/** The modules of long lists. */
const LISTS = /@tanstack\/(react-virtual|virtual-core)\/|\/src\/ui\/Table\./;

export default defineConfig({
  root: here('.'),
  plugins: [react()],
  resolve: { alias: { '@': here('./src') } },
  build: {
    outDir: here('../assets/dist'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: true, // scripts/compress.mjs reads it to check the size of the first load
    modulePreload: { polyfill: false },
    // What many parts share is one chunk: hundreds of small ones compress worse, and each costs a request. Long lists
    // are in a chunk of their own, because the first view of the editor has none.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'lists', test: LISTS, priority: 1, includeDependenciesRecursively: false },
            { name: 'shared', minShareCount: 14, includeDependenciesRecursively: false },
          ],
        },
      },
    },
    assetsInlineLimit: 0, // the content security policy allows only files of the own server
  },
  server: {
    port: Number(process.env.PORT ?? 5173),
    host: '127.0.0.1',
    proxy: { '/api': { target: server, ws: true, changeOrigin: true, rewriteWsOrigin: true, headers } },
  },
  test: {
    environment: 'jsdom',
    setupFiles: [here('./src/test/setup.ts')],
    include: ['src/**/*.test.{ts,tsx}'],
    maxWorkers: 2, // on two cores vitest would otherwise use only one
    restoreMocks: true,
    unstubGlobals: true,
    testTimeout: 60_000,
    reporters: ['default', ['json', { outputFile: here('../bin/times/unit.json') }]],
  },
});

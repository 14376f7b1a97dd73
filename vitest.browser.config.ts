import { defineConfig } from 'vitest/config';
import everyTest from './vitest.config.ts';

// The page and the core in real Chromium, and what serves them: `npm run browser`. Apart from the others, for not every machine has one.
export default defineConfig({
  ...everyTest,
  test: {
    ...everyTest.test,
    include: ['packages/studio/test/browser/**/*.test.ts', 'test/studio/**/*.test.ts'],
    exclude: [],
    globalSetup: 'packages/studio/test/browser/builtPage.ts',
    testTimeout: 240_000,
    hookTimeout: 120_000,
  },
});

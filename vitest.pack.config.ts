import { defineConfig } from 'vitest/config';
import everyTest from './vitest.config.ts';

// The tarball as npm installs it, under every runtime: `npm run pack:test`. Apart from the others, for npm fetches some hundred megabytes.
export default defineConfig({
  ...everyTest,
  test: {
    ...everyTest.test,
    include: ['test/pack/**/*.test.ts'],
    exclude: [],
    hookTimeout: 600_000,
  },
});

import { defineConfig } from 'vitest/config';
import everyTest from './vitest.config.ts';

// The real mongosh against served sets: `npm run mongosh`. Apart from the others, for each start of the shell takes seconds.
export default defineConfig({
  ...everyTest,
  test: {
    ...everyTest.test,
    include: ['test/mongosh/**/*.test.ts'],
    exclude: [],
    // Each file has a home directory of its own for its shells.
    isolate: true,
    // What a shell does in a second takes a minute where others have the processors.
    testTimeout: 180_000,
    hookTimeout: 300_000,
  },
});

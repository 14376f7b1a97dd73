import { configDefaults, defineConfig } from 'vitest/config';

// Packages are read from their sources (condition `@replsim/source`), so tests need no build.
const conditions = ['@replsim/source', 'module', 'node', 'import', 'default'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['node', 'import', 'default'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'site/test/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run mongosh` and `npm run browser` run the first three; the runners that `test/runners` is about run theirs, and the
    // last are to fail.
    exclude: [
      ...configDefaults.exclude,
      '**/dist/**',
      'test/mongosh/**',
      'packages/studio/test/browser/**',
      'test/studio/**',
      'test/runners/{examples,edges}/**',
      'test/invariants/helpers/**',
    ],
    // Whoever runs these waits for them: no core is spared.
    maxWorkers: '100%',
    // Files of one worker share their modules, which keep nothing of a run: half of the time went into loading them anew.
    isolate: false,
    testTimeout: 180_000,
    passWithNoTests: false,
  },
});

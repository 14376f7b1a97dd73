import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// Packages are read from their sources (condition `@replsim/source`), so tests need no build. Of the one that is published, whose
// `exports` name nothing that is not published, it is said here; to tsc by `paths`.
const sources = fileURLToPath(new URL('./packages/replsim/src', import.meta.url));
const alias = [
  { find: /^replsim$/, replacement: `${sources}/index.ts` },
  { find: /^replsim\/([\w-]+)$/, replacement: `${sources}/$1.ts` },
];
const conditions = ['@replsim/source', 'module', 'node', 'import', 'default'];

// In a single run Node itself loads the sources: see `test/native/register.mjs`. Vitest can watch, and measure the coverage of, only what it loads,
// and it loads `studio`, whose modules import files as Vite has them.
const isNative = process.argv.includes('run') && !process.argv.some((each) => each.startsWith('--coverage'));
const register = fileURLToPath(new URL('./test/native/register.mjs', import.meta.url));
const native = {
  execArgv: ['--import', register],
  server: { deps: { external: [/\/packages\/(?!studio\/)[\w-]+\/src\/.*\.ts$/] } },
};

// On a clean clone vitest knows no durations, and begins with the files that have the most text: one of these would be the last, alone. As long
// as they take, the longest first.
const LONGEST = [
  'packages/studio/test/browser/everyScenario.test.ts',
  'packages/studio/test/browser/compare.test.ts',
  'packages/studio/test/browser/views.test.ts',
  'test/runners/runners.test.ts',
  'test/scenarios/scenarios.test.ts',
  'test/scenarios/forecasts.test.ts',
  'packages/replsim/test/spread/fleet.test.ts',
  'test/mutations/explored.test.ts',
  'test/clients/kills.test.ts',
  'test/fuzz/fuzz.test.ts',
  'test/clients/bulkResults.test.ts',
  'test/clients/failover.test.ts',
  'test/questions/truth.test.ts',
  'packages/replsim/test/jobs.test.ts',
  'test/invariants/doors.test.ts',
  'test/clients/newcomers.test.ts',
  'test/clients/clock.test.ts',
  'packages/explore/test/search/explore.test.ts',
  'test/docs/examples.test.ts',
  'test/clients/changeStreams.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`));
      return rank === -1 ? LONGEST.length : rank;
    };
    return (await super.sort(files)).toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

export default defineConfig({
  resolve: { conditions, alias },
  ssr: { resolve: { conditions, externalConditions: ['node', 'import', 'default'] } },
  test: {
    include: ['packages/*/test/**/*.test.ts', 'site/test/**/*.test.ts', 'test/**/*.test.ts'],
    // `npm run mongosh`, `npm run pack:test` and `npm run browser` run the first four; the runners that `test/runners` is about run theirs, and the
    // last are to fail.
    exclude: [
      ...configDefaults.exclude,
      '**/dist/**',
      'test/mongosh/**',
      'test/pack/**',
      'packages/studio/test/browser/**',
      'test/studio/**',
      'test/runners/{examples,edges,suites,workers}/**',
      'test/invariants/helpers/**',
    ],
    // Whoever runs these waits for them: no core is spared. One worker more was tried, and took longer on two cores.
    maxWorkers: '100%',
    // Files of one worker share their modules, which keep nothing of a run: half of the time went into loading them anew.
    isolate: false,
    testTimeout: 180_000,
    hookTimeout: 180_000,
    passWithNoTests: false,
    setupFiles: ['test/house/propertySeed.ts', ...(isNative ? ['test/native/positions.ts'] : [])],
    ...(isNative ? native : {}),
    // Whoever shuffles files has an order of their own; a sequencer would take it from them without a word.
    ...(process.argv.some((each) => each.startsWith('--sequence.shuffle'))
      ? {}
      : { sequence: { sequencer: LongestFirst } }),
  },
});

// Few files instead of hundreds of small ones: reading those would take longer than a small scenario.

/** Native addons, for real disks alone, and what helpers for tests find where they are used. */
const external = ['level', 'classic-level', 'mongodb', 'vitest'];
const shared = {
  platform: 'node',
  external,
  resolve: { conditionNames: ['@replsim/source', 'node', 'import', 'default'] },
};

/**
 * The command, what its threads run, the API and the helpers as ES modules that share what they have in common; and the API as CommonJS, which jest
 * and mocha load by default.
 * @type {import('rolldown').RolldownOptions[]}
 */
export default [
  {
    ...shared,
    input: { bin: 'src/bin.ts', player: 'src/player.ts', index: 'src/index.ts', vitest: 'src/vitest.ts' },
    output: { dir: 'dist/bundle', format: 'esm', minify: true, cleanDir: true },
  },
  {
    ...shared,
    input: { index: 'src/index.ts' },
    output: {
      dir: 'dist/bundle-cjs',
      format: 'cjs',
      cleanDir: true,
      minify: true,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
    },
  },
];

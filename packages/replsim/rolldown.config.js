import { createRequire } from 'node:module';

// Few files instead of hundreds of small ones: reading those would take longer than a small scenario.

/** Native addons, for real disks alone, and what helpers for tests find where they are used. */
const external = ['level', 'classic-level', 'mongodb', 'vitest'];

/** For Node alone it names its CommonJS, of which no bundler can leave out what nobody calls. */
const mingo = createRequire(new URL('../database/package.json', import.meta.url))
  .resolve('mingo')
  .replace(/cjs(?=.index\.js$)/, 'esm');

/**
 * Writes what is not ASCII as escapes, which mean the same in strings, templates and regular expressions: V8 takes half the
 * memory for a text without any, and need not look for it. `bin/load.js` counts on it.
 */
const ascii = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle))
      chunk.code = chunk.code?.replace(
        /[\u0080-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
  },
};

const shared = {
  platform: 'node',
  external,
  resolve: { alias: { mingo }, conditionNames: ['@replsim/source', 'module', 'node', 'import', 'default'] },
};

/**
 * The API and the helpers as ES modules that share what they have in common. The API as CommonJS, which jest and mocha load by
 * default; and so the command and what its processes run, as V8 can be given compiled code of such alone.
 * @type {import('rolldown').RolldownOptions[]}
 */
export default [
  {
    ...shared,
    input: { index: 'src/index.ts', vitest: 'src/vitest.ts' },
    output: { dir: 'dist/bundle', format: 'esm', minify: true, cleanDir: true },
  },
  {
    ...shared,
    plugins: [ascii],
    input: { index: 'src/index.ts', bin: 'src/bin.ts', player: 'src/player.ts' },
    output: {
      dir: 'dist/bundle-cjs',
      format: 'cjs',
      cleanDir: true,
      minify: true,
      // What is compiled by hand may not import: see `bin/load.js`.
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name]-[hash].cjs',
    },
  },
];

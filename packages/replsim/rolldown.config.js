// The command in one folder of few files: reading hundreds of small ones would take longer than a small scenario.
/** @type {import('rolldown').RolldownOptions} */
export default {
  input: { bin: 'src/bin.ts' },
  platform: 'node',
  // A native addon, and only for real disks.
  external: ['level', 'classic-level'],
  resolve: { conditionNames: ['@replsim/source', 'node', 'import', 'default'] },
  output: { dir: 'dist/bundle', format: 'esm', minify: true, cleanDir: true },
};

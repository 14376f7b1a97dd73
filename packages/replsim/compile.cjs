// A step of the build, after the bundles: plays scenarios by them, and keeps beside them what V8 has compiled for it.

const { join } = require('node:path');
const { keepCompiled, load } = require('./bin/load.js');

/** Between them they do what most scenarios do. One after the other, since threads compile for themselves. */
const PLAYED = ['election/failover-on-kill.yaml', 'ttl/failover-moves-ttl.yaml'];

const scenarios = PLAYED.map((name) => join(__dirname, '../../scenarios', name));
process.argv.splice(2, Number.POSITIVE_INFINITY, 'run', ...scenarios, '--jobs', '1');
process.stdout.write = () => true;
process.on('exit', () => {
  keepCompiled();
  // Whether they hold is for those who test: what they need is compiled in either case.
  if (process.exitCode === 1) process.exitCode = 0;
});
load(join(__dirname, 'dist/bundle/bin.cjs'));

// Loads the bundles as code that V8 has compiled before, since compiling them takes longer than playing a small scenario.
// CommonJS, as all of this folder, since Node takes its time to get ready for ES modules.

const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname, join } = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

/** V8 knows its own version in what it has compiled; the processor it does not know. */
const KEPT_AS = `${process.version}-${process.arch}.compiled`;

/** A chunk's name changes with its text, which V8 knows by its length alone; the entries' names do not. */
const CHUNK = /-[\w-]{8}\.cjs$/;

/**
 * How much a function runs, in bytes of its code, before V8 optimises it: eight times as much as V8 takes by itself. Most scenarios
 * are over before it pays, and of many that are played some 5 % of the work is V8's compiler's. It stands in what is kept, too.
 */
const INTERRUPT_BUDGET = 8 * 132 * 1024;

/** @type {Map<string, { script: vm.Script, module: { exports: unknown } }>} by file */
const loaded = new Map();

/**
 * Loads a CommonJS bundle. Node 22.1 and later keep compiled code by themselves; for Node 20 it lies beside the bundle, if this
 * very Node has built it. Where it does not, or V8 does not like it, the bundle is compiled as any other.
 * It may require, but not import: of code from elsewhere Node calls that an experiment, and tells whoever reads stderr.
 * @param {string} file with its whole path
 */
function load(file) {
  if (nodeModule.enableCompileCache === undefined) {
    v8.setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
    return run(file);
  }
  nodeModule.enableCompileCache();
  return require(file);
}

function run(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known.module.exports;
  // All of it is ASCII, see `rolldown.config.js`.
  const source = readFileSync(file, 'latin1');
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData: keptBeside(file),
  });
  const module = { exports: {} };
  loaded.set(file, { script, module });
  const outside = nodeModule.createRequire(file);
  const folder = dirname(file);
  const requireFrom = (id) => (id.startsWith('./') ? run(join(folder, id)) : outside(id));
  script.runInThisContext()(module.exports, requireFrom, module, file, folder);
  return module.exports;
}

function keptBeside(file) {
  const kept = `${file}.${KEPT_AS}`;
  return existsSync(kept) ? readFileSync(kept) : undefined;
}

/** Keeps what is compiled by now of all that was loaded: more than at first, as functions are compiled when they are called. */
function keepCompiled() {
  for (const [file, { script }] of loaded)
    if (CHUNK.test(file)) writeFileSync(`${file}.${KEPT_AS}`, script.createCachedData());
}

module.exports = { load, keepCompiled };

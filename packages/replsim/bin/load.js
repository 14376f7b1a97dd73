// Loads the bundles as code that V8 has compiled before, since compiling them takes longer than playing a small scenario.
// CommonJS, as all of this folder, since Node takes its time to get ready for ES modules.

const { existsSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { dirname, join } = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');
const { threadId } = require('node:worker_threads');

/** V8 knows its own version in what it has compiled; the processor it does not know. */
const KEPT_AS = `${process.version}-${process.arch}.compiled`;

/** Other flags make other code, and so the command's is not that of a process which takes us for a library. */
let keptFor = 'library';

/** A chunk's name changes with its text, which V8 knows by its length alone; the entries' names do not. */
const CHUNK = /-[\w-]{8}\.cjs$/;

/**
 * How much a function runs, in bytes of its code, before V8 optimises it: eight times as much as V8 takes by itself. Most scenarios
 * are over before it pays, and of many that are played some 5 % of the work is V8's compiler's. It stands in what is kept, too.
 */
const INTERRUPT_BUDGET = 8 * 132 * 1024;

/** @type {Map<string, { script: vm.Script, module: { exports: unknown }, isKept: boolean }>} by file */
const loaded = new Map();

/**
 * Loads a CommonJS bundle. Node 22.1 and later keep compiled code by themselves; for Node 20 it lies beside the bundle, if this
 * very Node has built it. Where it does not, or V8 does not like it, the bundle is compiled as any other.
 * It may require, but not import: of code from elsewhere Node calls that an experiment, and tells whoever reads stderr.
 * @param {string} file with its whole path
 */
function load(file) {
  if (nodeModule.enableCompileCache === undefined) {
    keptFor = 'command';
    v8.setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);
    return run(file);
  }
  nodeModule.enableCompileCache();
  return require(file);
}

/**
 * For the entries of the library: compiling takes longer than starting a set, and each file of a suite is a process of its own. Node's
 * own cache is for the whole process, which is not ours.
 * @param {NodeJS.Require} outside the entry's own `require`
 * @param {string} folder the entry's
 * @returns {(id: string) => unknown} in the place of `outside`
 */
function requiring(outside, folder) {
  return isOurs() ? requireFrom(outside, folder) : outside;
}

/**
 * Not in a sandbox, whose classes are others than those of code that is compiled here, nor where Node reads source maps, which it does
 * not of such code. The environment's variable is Node's.
 */
function isOurs() {
  const { versions, env, sourceMapsEnabled } = process;
  const isNode = versions.bun === undefined && versions.deno === undefined;
  return isNode && !sourceMapsEnabled && !env.NODE_DISABLE_COMPILE_CACHE && vm.runInThisContext('Array') === Array;
}

function requireFrom(outside, folder) {
  return (id) => {
    const file = join(folder, id);
    return CHUNK.test(id) || loaded.has(file) ? run(file) : outside(id);
  };
}

function run(file) {
  const known = loaded.get(file);
  if (known !== undefined) return known.module.exports;
  // All of it is ASCII, see `rolldown.config.js`.
  const source = readFileSync(file, 'latin1');
  const cachedData = keptBeside(file);
  const script = new vm.Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: file,
    cachedData,
  });
  const module = { exports: {} };
  loaded.set(file, { script, module, isKept: cachedData !== undefined });
  const folder = dirname(file);
  const requireThere = requireFrom(nodeModule.createRequire(file), folder);
  script.runInThisContext()(module.exports, requireThere, module, file, folder);
  return module.exports;
}

function keptBeside(file) {
  try {
    const kept = keptOf(file);
    return existsSync(kept) ? readFileSync(kept) : undefined;
  } catch {
    return undefined;
  }
}

function keptOf(file) {
  return `${file}.${keptFor}-${KEPT_AS}`;
}

/**
 * Keeps what is compiled by now of what was loaded without it: more than at first, as functions are compiled when they are called.
 * Where that cannot be written, nothing is kept.
 */
function keepCompiled() {
  for (const [file, of] of loaded) {
    if (of.isKept || !CHUNK.test(file)) continue;
    of.isKept = true;
    const beside = keptOf(file);
    const half = `${beside}.${process.pid}.${threadId}`;
    try {
      writeFileSync(half, of.script.createCachedData());
      // Of two processes at once, each has a whole one.
      renameSync(half, beside);
    } catch {
      rmSync(half, { force: true });
      return;
    }
  }
}

module.exports = { load, requiring, keepCompiled };

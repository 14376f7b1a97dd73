// Loads the bundles as code that V8 has compiled before, since compiling them takes longer than playing a small scenario.
// CommonJS, as all of this folder, since Node takes its time to get ready for ES modules.

const { readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const nodeModule = require('node:module');
const { basename, dirname, join } = require('node:path');
const v8 = require('node:v8');
const vm = require('node:vm');

/** A length in such a file, at its beginning. */
const LENGTH_BYTES = 4;

/** A chunk, whose name changes with its text; what else lies there are entries, and of those another release may have some as long and as old. */
const CHUNK = /-[\w-]{8}\.cjs$/;

/**
 * How much a function runs, in bytes of its code, before V8 optimises it: eight times as much as V8 takes by itself. Most scenarios
 * are over before it pays, and of many that are played some 5 % of the work is V8's compiler's. It stands in what is kept, too.
 */
const INTERRUPT_BUDGET = 8 * 66 * 1024;

/**
 * And what is young and dead is collected by one thread: there is little of it, and to wake others takes longer. It is a tenth of the work of a
 * small scenario.
 */
const COMMAND_FLAGS = [`--interrupt-budget=${INTERRUPT_BUDGET}`, '--no-parallel-scavenge'];

/**
 * What is kept of a bundle: its text, as it is compiled, and what V8 has made of it.
 * @typedef {{ stamp: string, source: () => string, cachedData: Buffer }} Kept
 */

/** @type {Map<string, { script: vm.Script, module: { exports: unknown }, source: string, stamp: string, isKept: boolean }>} by file */
const loaded = new Map();

/** @type {Map<string, { kept: Map<string, Kept>, outside: NodeJS.Require }>} by folder; what is kept there, by file */
const folders = new Map();

/**
 * Loads a CommonJS bundle. Node 22.1 and later keep compiled code by themselves; for Node 20 it lies beside the bundle, if this
 * very Node has built it. Where it does not, or V8 does not like it, the bundle is compiled as any other.
 * It may require, but not import: of code from elsewhere Node calls that an experiment, and tells whoever reads stderr.
 * @param {string} file with its whole path
 */
function load(file) {
  if (nodeModule.enableCompileCache === undefined) {
    for (const flag of COMMAND_FLAGS) v8.setFlagsFromString(flag);
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
  const folder = dirname(file);
  const { kept, outside } = inFolder(folder);
  const stamp = stampOf(file);
  const found = kept.get(file)?.stamp === stamp ? kept.get(file) : undefined;
  const source = found?.source() ?? wrapped(file);
  const script = new vm.Script(source, { filename: file, cachedData: found?.cachedData });
  const module = { exports: {} };
  loaded.set(file, { script, module, source, stamp, isKept: script.cachedDataRejected === false });
  script.runInThisContext()(module.exports, requireFrom(outside, folder), module, file, folder);
  return module.exports;
}

/** All of it is ASCII, see `rolldown.config.js`. */
const wrapped = (file) =>
  `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;

/** Whoever writes something into a bundle, to see what comes of it, sees what comes of it. */
function stampOf(file) {
  const { size, mtimeMs } = statSync(file);
  return `${size} ${mtimeMs}`;
}

function inFolder(folder) {
  const known = folders.get(folder);
  if (known !== undefined) return known;
  const found = { kept: keptIn(folder), outside: nodeModule.createRequire(join(folder, 'bundle.cjs')) };
  folders.set(folder, found);
  return found;
}

/** One file for all, as to open each would take longer: the length of a list, the list, and in its order each bundle's text and code. */
function keptIn(folder) {
  const kept = new Map();
  try {
    const bytes = readFileSync(keptAs(folder));
    let end = LENGTH_BYTES + bytes.readUInt32LE(0);
    for (const [name, stamp, textBytes, codeBytes] of JSON.parse(bytes.latin1Slice(LENGTH_BYTES, end))) {
      const text = end;
      const code = text + textBytes;
      end = code + codeBytes;
      const source = () => bytes.latin1Slice(text, code);
      kept.set(join(folder, name), { stamp, source, cachedData: bytes.subarray(code, end) });
    }
    if (end === bytes.length) return kept;
  } catch {
    // There is none, or it is no such list.
  }
  return new Map();
}

/** V8's tag stands for its version and for the flags, of which other ones make other code; the processor it does not know. */
const keptAs = (folder) =>
  join(folder, `${process.version}-${process.arch}-${v8.cachedDataVersionTag().toString(16)}.compiled`);

/**
 * Keeps what is compiled by now of what was loaded without it: more than at first, as functions are compiled when they are called.
 * Where that cannot be written, nothing is kept.
 */
function keepCompiled() {
  for (const [folder, { kept }] of folders) {
    const fresh = [...loaded].filter(([file, { isKept }]) => !isKept && dirname(file) === folder && CHUNK.test(file));
    if (fresh.length === 0) continue;
    for (const [file, of] of fresh) {
      of.isKept = true;
      kept.set(file, { stamp: of.stamp, source: () => of.source, cachedData: of.script.createCachedData() });
    }
    writeKept(keptAs(folder), kept);
  }
}

function writeKept(file, kept) {
  const all = [...kept].map(([path, { stamp, source, cachedData }]) => ({
    path,
    stamp,
    parts: [Buffer.from(source(), 'latin1'), cachedData],
  }));
  const rows = all.map(({ path, stamp, parts }) => [basename(path), stamp, ...parts.map(({ length }) => length)]);
  const list = Buffer.from(JSON.stringify(rows));
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(list.length);
  const half = `${file}.${process.pid}.${require('node:worker_threads').threadId}`;
  try {
    // Of two processes at once each has a whole one, and whoever comes after a loss of power: V8 ends a process over code that is half there.
    writeFileSync(half, Buffer.concat([length, list, ...all.flatMap(({ parts }) => parts)]), { flush: true });
    renameSync(half, file);
  } catch {
    removeHalf(half);
  }
}

/** In an archive, where Yarn's Plug'n'Play has packages, not even what is not there can be removed. */
function removeHalf(half) {
  try {
    rmSync(half, { force: true });
  } catch {
    // Nothing is kept.
  }
}

module.exports = { load, requiring, keepCompiled };

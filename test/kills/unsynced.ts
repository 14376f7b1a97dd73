import fs, { openSync, readdirSync, statSync, writeSync } from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Loaded by the killed process before replsim (`node --import`): notes which bytes of its files have been synced, so that a kill can be made a
// power failure. What the log does not say was synced may be cut off.

/** It comes behind this file's name: `unsynced.js?log=PATH`. */
const file = openSync(new URL(import.meta.url).searchParams.get('log')!, 'a');
const note = (...words: readonly (string | number)[]) => writeSync(file, `${JSON.stringify(words)}\n`);

interface LevelLike {
  readonly location: string;
}
interface LevelClass {
  // biome-ignore lint/suspicious/noExplicitAny: the library's methods are called as they are
  readonly prototype: Record<string, any>;
}

/** From where the bundle loads it. */
const replsim = fileURLToPath(new URL('../../../packages/replsim/package.json', import.meta.url));
const fromReplsim = createRequire(replsim);
const fromLevel = createRequire(fromReplsim.resolve('level'));
const { ClassicLevel } = fromLevel('classic-level') as { ClassicLevel: LevelClass };

const { batch, open } = ClassicLevel.prototype;
Object.assign(ClassicLevel.prototype, {
  async batch(this: LevelLike, operations: unknown, options?: { readonly sync?: boolean }): Promise<void> {
    await batch.call(this, operations, options);
    if (options?.sync === true) noteLogs(this.location);
  },
  async open(this: LevelLike, ...given: readonly unknown[]): Promise<void> {
    note('open', this.location);
    await open.apply(this, given);
    // What it has read was on the disk, and it has synced the manifest that it has made.
    noteSizes(this.location, /\.log$|^MANIFEST-/);
  },
});

/** A batch that is synced has synced all that was written to LevelDB's log before it. */
function noteLogs(location: string): void {
  noteSizes(location, /\.log$/);
}

function noteSizes(location: string, pattern: RegExp): void {
  for (const name of readdirSync(location).filter((each) => pattern.test(each))) {
    const path = join(location, name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found) note('synced', path, found.size);
  }
}

/** Files that are written as a whole: with `flush` they are on the disk, without it they may come to nothing. */
const { writeFileSync, renameSync } = fs;
Object.assign(fs, {
  writeFileSync(path: string, text: string, options?: { readonly flush?: boolean }): void {
    writeFileSync(path, text, options);
    note(options?.flush === true ? 'flushed' : 'unsynced', path);
  },
  renameSync(from: string, to: string): void {
    renameSync(from, to);
    if (dirname(from) === dirname(to)) note('renamed', from, to);
  },
});
syncBuiltinESMExports();

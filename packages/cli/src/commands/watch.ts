import { readText, scenarioPaths, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { type Loaded, parseAll } from '../loaded.ts';
import { findScenarios } from '../scenarioText.ts';
import { changedFiles } from '../watching/changedFiles.ts';
import { type Batch, type Filters, NOTHING_YET, type WatchEvent, watchStep } from '../watching/watchStep.ts';
import { playLoaded } from './run.ts';
import type { RunOptions } from './runOptions.ts';

/**
 * `replsim run --watch`: plays all, then again what changes, until whoever watches has had enough of it.
 * @param watchFiles tells of what changes
 */
export async function watchCommand(
  paths: readonly string[],
  options: RunOptions,
  io: Io,
  watchFiles: typeof changedFiles = changedFiles,
): Promise<number> {
  if (io.ci) throw new InputError('--watch never ends on its own, so it is not allowed where CI is set');
  if (options.checkDeterminism) throw new InputError('--check-determinism only compares: leave out --watch');
  for (const path of scenarioPaths(paths)) readText(path); // What is not there cannot be watched.
  const watching = new Watching(paths, options, io);
  const files = await watchFiles(paths, (type, file) => watching.take({ type, file: shown(file) }));
  const noMoreKeys = io.onKey?.((key) => watching.take({ type: 'key', key }));
  io.onInterrupt?.(() => watching.take({ type: 'interrupted' }));
  try {
    return await watching.untilOver();
  } finally {
    noMoreKeys?.();
    await files.close();
  }
}

/** Carries out what `watchStep` asks for. */
class Watching {
  readonly #paths: readonly string[];
  readonly #options: RunOptions;
  readonly #io: Io;
  #state = NOTHING_YET;
  #isOver = false;
  #playing: Promise<void> = Promise.resolve();
  #end: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(paths: readonly string[], options: RunOptions, io: Io) {
    this.#paths = paths;
    this.#options = options;
    this.#io = io;
  }

  take(event: WatchEvent): void {
    if (this.#isOver) return;
    const [next, effects] = watchStep(this.#state, event);
    this.#state = next;
    for (const effect of effects) {
      if (effect.type === 'say') this.#io.out(effect.text);
      else if (effect.type === 'quit') this.#quit();
      else this.#playing = this.#play(effect.batch, effect.filters).then((played) => this.take(played), this.#fail);
    }
  }

  /** @returns the exit code */
  async untilOver(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#end = resolve;
      this.#fail = reject;
      this.take({ type: 'begin' });
    });
    await this.#playing;
    return this.#state.failed.size === 0 ? ExitCodes.ok : ExitCodes.failed;
  }

  #quit(): void {
    this.#isOver = true;
    this.#end();
  }

  async #play(batch: Batch, filters: Filters): Promise<WatchEvent> {
    try {
      const loaded = await this.#selected(batch === 'all' ? this.#paths : batch, filters);
      if (loaded.length === 0) this.#io.out('no scenario matches the filter\n');
      const outcomes = loaded.length === 0 ? [] : await playLoaded(loaded, this.#options, this.#io, () => this.#isOver);
      const files = (held: boolean) => outcomes.filter(({ ok }) => ok === held).map(({ path }) => path);
      return { type: 'played', held: files(true), failed: files(false) };
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      this.#io.err(`${error.message}\n`);
      return { type: 'mistaken' };
    }
  }

  async #selected(paths: readonly string[], filters: Filters): Promise<readonly Loaded[]> {
    const has = (text: string, part = '') => text.toLowerCase().includes(part.toLowerCase());
    const { variant } = this.#options;
    const files = findScenarios(paths).map((file) => ({ ...file, ...(variant !== undefined && { variant }) }));
    const loaded = await parseAll(files.filter(({ path }) => has(shown(path), filters.file)));
    return loaded.filter(
      ({ path, scenario: { name } }) => has(name, filters.name) && has(`${name}\n${shown(path)}`, this.#options.grep),
    );
  }
}

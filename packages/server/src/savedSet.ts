import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';

/** What a folder of data remembers of the set that it belongs to. */
const FILE = 'replsim.json';
/** How far ahead of the present the clock is noted down, so that that need not be done at every event. Unit: µs. */
const LEAST_AHEAD_MICROS = 60_000_000;

const savedSchema = z.object({
  format: z.literal(1),
  setName: z.string(),
  ip: z.string(),
  members: z.array(z.object({ name: z.string(), port: z.number(), spare: z.boolean().optional() })).min(1),
  /** No clock of the set has shown more, ms since 1970. */
  wallMs: z.number(),
  /** The process that holds the data. */
  pid: z.number().optional(),
});

/** What `DBPATH/replsim.json` holds. */
export type SavedSet = z.infer<typeof savedSchema>;

/** The data under a `dbpath` are another set's than the one that is to be started on them. */
export class DbpathMismatchError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DbpathMismatchError';
  }
}

/** Somebody else has the data under a `dbpath` open. */
export class DbpathInUseError extends Error {
  constructor(dbpath: string, pid: number | undefined, options?: ErrorOptions) {
    const who = pid === process.pid ? 'another set of this process' : `process ${pid ?? '(unknown)'}`;
    super(`${who} holds ${dbpath}: stop it first, or choose another dbpath`, options);
    this.name = 'DbpathInUseError';
  }
}

/**
 * What the data under `dbpath` remember; undefined if there are none.
 * @throws DbpathMismatchError for a file that is none of ours
 */
export function readSavedSet(dbpath: string): SavedSet | undefined {
  const file = join(dbpath, FILE);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return savedSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new DbpathMismatchError(`${file} is not what replsim has written: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Whether the process that noted itself down is there, as far as that can be seen. */
export function isHeld({ pid }: SavedSet): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Keeps `DBPATH/replsim.json` true. The clock that it names is never behind what the data have seen: it is written before
 * time passes it, so that it holds whenever the process is killed.
 */
export class SavedClock {
  readonly #file: string;
  readonly #saved: Omit<SavedSet, 'wallMs'>;
  readonly #epochMs: number;
  #notedMicros = -1;

  constructor(dbpath: string, saved: Omit<SavedSet, 'wallMs'>, epochMs: number) {
    mkdirSync(dbpath, { recursive: true });
    this.#file = join(dbpath, FILE);
    this.#saved = saved;
    this.#epochMs = epochMs;
  }

  /** Time is about to go on to `limitMicros` at most. @param speed virtual seconds a second */
  ahead(limitMicros: number, speed: number): void {
    const slack = Math.max(LEAST_AHEAD_MICROS, speed * 10_000_000);
    // A jump that has ended early must not leave the clock where it would have ended.
    if (limitMicros <= this.#notedMicros && this.#notedMicros <= limitMicros + 4 * slack) return;
    this.#note(limitMicros + slack, { ...this.#saved, pid: process.pid });
  }

  /** Nothing happens any more. */
  end(nowMicros: number): void {
    this.#note(nowMicros, this.#saved);
  }

  #note(micros: number, saved: Omit<SavedSet, 'wallMs'>): void {
    this.#notedMicros = micros;
    const wallMs = this.#epochMs + Math.ceil(micros / 1000);
    // Whole or not at all, whenever the process is killed.
    writeFileSync(`${this.#file}.new`, `${JSON.stringify({ ...saved, wallMs }, undefined, 2)}\n`);
    renameSync(`${this.#file}.new`, this.#file);
  }
}

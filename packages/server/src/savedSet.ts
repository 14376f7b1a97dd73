import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isNullOpTime, type OpTime } from '@replsim/protocol';
import { diskErrorOf, MEMBER_NAME, MEMBER_NAME_RULE } from '@replsim/replset';
import * as z from 'zod';

/** What a folder of data remembers of the set that it belongs to. */
const FILE = 'replsim.json';
/** How far ahead of the present the clock is noted down, so that that need not be done at every event. Unit: µs. */
const LEAST_AHEAD_MICROS = 60_000_000;

/** How it is written down: what we write, and all that we read. */
const FORMAT = 1;

/** The last instant that a BSON timestamp can hold. */
const LAST_WALL_MS = 0xff_ff_ff_ff * 1000;

const opTimeSchema = z.object({ ts: z.object({ t: z.number(), i: z.number() }), t: z.number() });

const memberSchema = z.object({
  // The name is that of a folder too: none that leads out of here.
  name: z.string().regex(MEMBER_NAME, { error: MEMBER_NAME_RULE }),
  port: z.int().min(0).max(65_535),
  spare: z.boolean().optional(),
  /** How far its journal reached when it was last noted down; missing if it had no data. */
  durable: opTimeSchema.optional(),
});

const savedSchema = z.object({
  format: z.literal(FORMAT),
  setName: z.string(),
  ip: z.string(),
  members: z.array(memberSchema).min(1).refine(areDistinct, { error: 'two members have the same name or port' }),
  /** No clock of the set has shown more, ms since 1970. */
  wallMs: z.number().max(LAST_WALL_MS),
  /** The process that holds the data. */
  pid: z.number().optional(),
  /** Of all the rest. Missing in what earlier versions wrote, and in what somebody has edited. */
  checksum: z.string().optional(),
});

function areDistinct(members: readonly { readonly name: string; readonly port: number }[]): boolean {
  const ports = members.flatMap(({ port }) => (port === 0 ? [] : [port]));
  return new Set(members.map(({ name }) => name)).size === members.length && new Set(ports).size === ports.length;
}

/** What `DBPATH/replsim.json` holds. */
export type SavedSet = z.infer<typeof savedSchema>;
export type SavedMember = SavedSet['members'][number];

/** Thrown if the data under `dbpath` belongs to a different set from the one that the options describe. */
export class DbpathMismatchError extends Error {
  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'DbpathMismatchError';
  }
}

/** Thrown if another set or process is using the data under `dbpath`. */
export class DbpathInUseError extends Error {
  constructor(dbpath: string, pid: number | undefined, options?: { readonly cause?: unknown }) {
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
  return parsed(text, file);
}

function parsed(text: string, file: string): SavedSet {
  const json = jsonOf(text, file);
  const { format } = (json ?? {}) as { format?: unknown };
  if (typeof format === 'number' && format !== FORMAT)
    throw new DbpathMismatchError(
      `${file} is in format ${format}, and this replsim reads only format ${FORMAT}: use the one that wrote it, or choose another dbpath`,
    );
  const { checksum, ...rest } = (json ?? {}) as { checksum?: unknown };
  if (checksum !== undefined && checksum !== checksumOf(rest))
    throw new DbpathMismatchError(
      `${file} is damaged (its checksum is wrong): put back a copy of it; if you have edited it, remove the line "checksum"`,
    );
  const { data, error } = savedSchema.safeParse(json);
  if (data !== undefined) return data;
  const [{ path, message }] = error.issues as [z.core.$ZodIssue];
  throw notOurs(file, `${path.length === 0 ? '' : `${path.join('.')}: `}${message}`, error);
}

function jsonOf(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notOurs(file, (error as Error).message, error);
  }
}

function notOurs(file: string, why: string, cause: unknown): DbpathMismatchError {
  return new DbpathMismatchError(
    `${file} is not a file that replsim wrote (${why}): put back a copy of it, or choose another dbpath`,
    { cause },
  );
}

/** Not against anybody: a flipped bit must not give a member another name or port. */
function checksumOf(saved: object): string {
  return createHash('sha256').update(JSON.stringify(saved)).digest('hex').slice(0, 16);
}

/** Members' folders whose set nobody remembers. @param holders the members that have data */
export function refuseIfForgotten(dbpath: string, holders: readonly string[]): void {
  if (holders.length === 0) return;
  throw new DbpathMismatchError(
    `${join(dbpath, FILE)} is missing, though there are data of ${holders.join(', ')}: put back a copy of it, ` +
      'write it anew (docs/serve.md, "If a set refuses to start"), or choose another dbpath',
  );
}

/** Whether the process that noted itself down is there, as far as that can be seen. */
export function isHeld({ pid }: SavedSet): boolean {
  return pid !== undefined && isAlive(pid);
}

/** Whether there is a process of that number. */
export function isAlive(pid: number): boolean {
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
  readonly #dbpath: string;
  readonly #saved: Omit<SavedSet, 'wallMs' | 'format' | 'checksum'>;
  readonly #epochMs: number;
  readonly #durable: (member: string) => OpTime | undefined;
  #notedMicros = -1;
  /** Those that had no data when they were last noted down. */
  #empty: string[] = [];

  /** @param durable how far a member's journal reaches; null without data, undefined if that is not known */
  constructor(
    dbpath: string,
    saved: Omit<SavedSet, 'wallMs' | 'format' | 'checksum'>,
    epochMs: number,
    durable: (member: string) => OpTime | undefined,
  ) {
    mkdirSync(dbpath, { recursive: true });
    this.#dbpath = dbpath;
    this.#saved = saved;
    this.#epochMs = epochMs;
    this.#durable = durable;
  }

  /** Time is about to go on to `limitMicros` at most. @param speed virtual seconds a second */
  ahead(limitMicros: number, speed: number): void {
    const slack = Math.max(LEAST_AHEAD_MICROS, speed * 10_000_000);
    // A jump that has ended early must not leave the clock where it would have ended.
    const isNear = limitMicros <= this.#notedMicros && this.#notedMicros <= limitMicros + 4 * slack;
    // That a member has data is worth a note of its own: losing them must not go unnoticed.
    if (isNear && !this.#empty.some((name) => this.#holds(name))) return;
    this.#note(limitMicros + slack, { pid: process.pid });
  }

  /** Nothing happens any more. */
  end(nowMicros: number): void {
    this.#note(nowMicros, {});
  }

  #note(micros: number, holder: { readonly pid?: number }): void {
    this.#notedMicros = micros;
    const members = this.#saved.members.map((member) => this.#memberNow(member));
    this.#empty = members.flatMap(({ name, durable }) => (durable === undefined ? [name] : []));
    const wallMs = this.#epochMs + Math.ceil(micros / 1000);
    const saved: SavedSet = { format: FORMAT, ...this.#saved, members, ...holder, wallMs };
    const file = join(this.#dbpath, FILE);
    try {
      // Whole or not at all, whenever the process is killed, and whenever the power fails: a name may reach the disk before what it names.
      const text = JSON.stringify({ ...saved, checksum: checksumOf(saved) }, undefined, 2);
      writeFileSync(`${file}.new`, `${text}\n`, { flush: true });
      renameSync(`${file}.new`, file);
      flushFolder(this.#dbpath);
    } catch (error) {
      throw diskErrorOf(error, { directory: this.#dbpath });
    }
  }

  #memberNow(member: SavedMember): SavedMember {
    const { durable: before, ...rest } = member;
    const durable = this.#durable(member.name) ?? before;
    return durable === undefined || isNullOpTime(durable) ? rest : { ...rest, durable };
  }

  #holds(name: string): boolean {
    const durable = this.#durable(name);
    return durable !== undefined && !isNullOpTime(durable);
  }
}

/** Names are on the disk then too, this file's and those of the members' folders. Windows knows no such thing. */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

import { didYouMeanOneOf, likelyDuration, parseDuration } from '@replsim/kernel';
import type { Path, Source } from '../file/source.ts';
import { concernIn } from './concerns.ts';

/** Upstream: read_concern_level.h. */
const READ_CONCERN_LEVELS = ['local', 'available', 'majority', 'linearizable', 'snapshot'];

/** The fields of commands and steps that hold a write concern, and a read concern. */
const WRITE_CONCERNS = ['writeConcern', 'defaultWriteConcern'];
const READ_CONCERNS = ['readConcern', 'defaultReadConcern'];

/** Their own fields; mongod passes over the last three of a write concern. Upstream: write_concern.idl, read_concern.idl. */
const WRITE_FIELDS = ['w', 'j', 'wtimeout', 'fsync', 'provenance', 'getLastError', 'wElectionId', 'wOpTime'];
const READ_FIELDS = ['level', 'afterClusterTime', 'atClusterTime', 'afterOpTime', 'provenance'];

/** What a set of this file can be asked to wait for. */
export interface Acknowledging {
  /** Of `w`. */
  readonly modes: ReadonlySet<string>;
  /** How many members may hold data. */
  readonly holders: number;
}

/** Tells of modes and levels that no set of this file will know. @param path where a command or step stands */
export function judgeConcerns(
  source: Source,
  path: Path,
  given: Readonly<Record<string, unknown>>,
  { modes, holders }: Acknowledging,
): void {
  for (const key of WRITE_CONCERNS) {
    const at = [...path, key];
    const concern = concernIn(key, given[key]);
    judgeFields(source, at, concern, 'write concern', WRITE_FIELDS);
    judgeWait(source, at, concern, holders);
    const mode = fieldOf(concern, 'w');
    if (mode === undefined || modes.has(mode)) continue;
    source.mistakeAtPath(
      [...at, 'w'],
      `"${mode}" is neither majority nor a mode in settings.getLastErrorModes`,
      didYouMeanOneOf(mode, [...modes]),
    );
  }
  for (const key of READ_CONCERNS) {
    const concern = concernIn(key, given[key]);
    judgeFields(source, [...path, key], concern, 'read concern', READ_FIELDS);
    const level = fieldOf(concern, 'level');
    if (level === undefined || READ_CONCERN_LEVELS.includes(level)) continue;
    source.mistakeAtPath(
      [...path, key, 'level'],
      `"${level}" is not a read concern level`,
      didYouMeanOneOf(level, READ_CONCERN_LEVELS),
    );
  }
}

function judgeFields(source: Source, at: Path, concern: unknown, what: string, known: readonly string[]): void {
  if (typeof concern !== 'object' || concern === null) return;
  for (const key of Object.keys(concern))
    if (!known.includes(key) && !key.startsWith('$'))
      source.mistakeAtKey(at, key, `a ${what} has no "${key}"`, didYouMeanOneOf(key, known));
}

/** More members than there are, and a patience that is no number: mongod takes that for none at all. */
function judgeWait(source: Source, at: Path, concern: unknown, holders: number): void {
  const { w, wtimeout } = (concern ?? {}) as { w?: unknown; wtimeout?: unknown };
  if (typeof w === 'number' && w > holders)
    source.mistakeAtPath(
      [...at, 'w'],
      `w: ${w} can never be satisfied: ${holders} ${holders === 1 ? 'member holds' : 'members hold'} data`,
      `w: majority, or at most ${holders}`,
    );
  if (typeof wtimeout !== 'string' || wtimeout.startsWith('$')) return;
  const micros = parseDuration(likelyDuration(wtimeout) ?? '');
  const meant = micros === undefined || /^\d+$/.test(wtimeout) ? undefined : `did you mean ${micros / 1000}?`;
  source.mistakeAtPath([...at, 'wtimeout'], 'expected a number of milliseconds', meant ?? 'for example wtimeout: 5000');
}

/** A word that is written there. What begins with a dollar is remembered by a step, or one of mongod's own modes. */
function fieldOf(document: unknown, field: string): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const value = (document as Record<string, unknown>)[field];
  return typeof value === 'string' && !value.startsWith('$') ? value : undefined;
}

/** The write concern modes that any part of a file defines: in the head, or by a step that changes the config. */
export function modesIn(input: unknown): Set<string> {
  const modes = new Set(['majority']);
  collect(input, modes);
  return modes;
}

function collect(value: unknown, modes: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    const parts = key.split('.');
    const at = parts.indexOf('getLastErrorModes');
    if (at >= 0 && parts[at + 1] !== undefined) modes.add(parts[at + 1]!);
    else if (at >= 0) for (const mode of Object.keys(each ?? {})) modes.add(mode);
    else collect(each, modes);
  }
}

/** Steps and commands after which an arbiter need not be one any more. */
const CHANGES_CONFIG = /"(reconfig|addMember|initiate|replSetReconfig|replSetInitiate)":/;

/** How many members may hold data: those of the config, and those who could be added to it. @param names of all of them */
export function holdersIn(input: unknown, names: readonly string[]): number {
  const { replicaSet, steps } = (input ?? {}) as { replicaSet?: { members?: unknown }; steps?: unknown };
  const listed = Array.isArray(replicaSet?.members) ? replicaSet.members : [];
  if (mentions(steps, CHANGES_CONFIG)) return names.length;
  return names.length - listed.filter((member) => member?.arbiterOnly === true).length;
}

/** Whether anything in it, written as JSON, has the pattern. @param plain as files are read: long integers are no numbers */
export function mentions(plain: unknown, pattern: RegExp): boolean {
  const text = JSON.stringify(plain ?? null, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  return pattern.test(text);
}

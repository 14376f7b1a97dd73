import { isNullOpTime, type OpTime, type Term, UNINITIALIZED_TERM } from '@replsim/protocol';

/**
 * One entry of somebody's log, and with it the log that ends there: all logs of a run are one tree. What RaftMongo calls an
 * index is the depth; entries without a term, from before the first election, are not part of it.
 */
export interface Entry {
  readonly opTime: OpTime | undefined;
  readonly term: Term;
  readonly index: number;
  readonly before: Entry;
  /** Some entry further back, so that a search takes a number of steps that grows with the log's logarithm. */
  readonly jump: Entry;
}

/** The log that holds nothing. */
export const EMPTY_LOG: Entry = emptyLog();

function emptyLog(): Entry {
  const entry: { -readonly [K in keyof Entry]?: Entry[K] } = { opTime: undefined, term: 0, index: 0 };
  entry.before = entry as Entry;
  entry.jump = entry as Entry;
  return entry as Entry;
}

/** Every entry that was ever written, by its opTime. */
export class Entries {
  readonly #byOpTime = new Map<string, Entry>();

  /** Undefined if nobody has written it; the empty log for what lies before the first term. */
  find(opTime: OpTime): Entry | undefined {
    return isOfNoTerm(opTime) ? EMPTY_LOG : this.#byOpTime.get(keyOf(opTime));
  }

  /** An entry that its author writes behind its log. */
  write(opTime: OpTime, before: Entry): Entry {
    const { jump } = before;
    const even = before.index - jump.index === jump.index - jump.jump.index;
    const entry = { opTime, term: opTime.t, index: before.index + 1, before, jump: even ? jump.jump : before };
    this.#byOpTime.set(keyOf(opTime), entry);
    return entry;
  }
}

export function isOfNoTerm(opTime: OpTime): boolean {
  return opTime.t === UNINITIALIZED_TERM || isNullOpTime(opTime);
}

/** What a log holds at an index that it reaches. */
export function entryAt(log: Entry, index: number): Entry {
  let entry = log;
  while (entry.index > index) entry = entry.jump.index >= index ? entry.jump : entry.before;
  return entry;
}

/** Whether a log holds an entry, or a whole log as its beginning. */
export function holds(log: Entry, entry: Entry): boolean {
  return log.index >= entry.index && entryAt(log, entry.index) === entry;
}

export function showEntry({ opTime, index }: Entry): string {
  return opTime === undefined ? 'the empty log' : `entry ${index} of t${opTime.t}`;
}

function keyOf({ ts, t }: OpTime): string {
  return `${t}:${ts.t}:${ts.i}`;
}

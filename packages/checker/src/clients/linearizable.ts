import type { RegisterCall } from './history.ts';
import { type Anomaly, HOLDS, instantText, type Verdict, verdictOf } from './verdict.ts';

/** How many configurations of one key are looked at before the history is given up as too long to judge. */
const MOST_CONFIGURATIONS = 200_000;

/**
 * Whether there is one order of all calls, each at one instant between its call and its return, in which every read finds what was
 * written last. Keys are judged one by one, which is enough: linearizability is local (Herlihy and Wing).
 * Source: Wing and Gong, "Testing and verifying concurrent objects"; Lowe, "Testing for linearizability", just-in-time linearization.
 */
export function linearizable(calls: readonly RegisterCall[], most = MOST_CONFIGURATIONS): Verdict {
  const anomalies: Anomaly[] = [];
  let undecided: string | undefined;
  for (const [key, ofKey] of byKey(calls)) {
    const verdict = judgeKey(key, ofKey, most);
    if (verdict.kind === 'broken') anomalies.push(...verdict.anomalies);
    if (verdict.kind === 'undecided') undecided ??= verdict.why;
  }
  // What is broken stays so, however the rest of it may be.
  if (anomalies.length > 0) return verdictOf(anomalies);
  return undecided === undefined ? HOLDS : { kind: 'undecided', why: undecided };
}

function byKey(calls: readonly RegisterCall[]): Map<string, RegisterCall[]> {
  const keys = new Map<string, RegisterCall[]>();
  for (const call of calls) {
    const list = keys.get(call.key);
    if (list) list.push(call);
    else keys.set(call.key, [call]);
  }
  return keys;
}

/** What the register may hold, and which of the calls under way have taken effect already. */
interface Configuration {
  readonly value: string | undefined;
  /** Ascending. */
  readonly done: readonly number[];
}

interface Moment {
  readonly atMicros: number;
  readonly call: number;
  readonly returns: boolean;
}

function judgeKey(key: string, all: readonly RegisterCall[], most: number): Verdict {
  const calls = thatMatter(all);
  const search = new Search(calls, most);
  for (const { call, returns } of momentsOf(calls)) {
    if (!returns) {
      search.begin(call);
      continue;
    }
    if (search.end(call)) continue;
    if (search.isExhausted) {
      const why = `more than ${most} ways to order the ${all.length} calls of document ${key}`;
      return { kind: 'undecided', why };
    }
    return verdictOf([anomalyOf(key, calls[call]!, search.values)]);
  }
  return HOLDS;
}

/** A write that nobody is sure of and nobody saw may as well not have been; what failed was not; a read without an answer says nothing. */
function thatMatter(calls: readonly RegisterCall[]): RegisterCall[] {
  const seen = new Set(
    calls.flatMap(({ kind, outcome, value }) => (kind === 'read' && outcome === 'ok' ? [value] : [])),
  );
  return calls.filter(({ kind, outcome, value }) =>
    kind === 'read' ? outcome === 'ok' : outcome === 'ok' || (outcome === 'info' && seen.has(value)),
  );
}

/** Of what is at the same instant calls come first: they overlap. */
function momentsOf(calls: readonly RegisterCall[]): Moment[] {
  const moments = calls.flatMap(({ calledMicros, returnedMicros }, call): Moment[] => [
    { atMicros: calledMicros, call, returns: false },
    ...(Number.isFinite(returnedMicros) ? [{ atMicros: returnedMicros, call, returns: true }] : []),
  ]);
  return moments.sort((a, b) => a.atMicros - b.atMicros || Number(a.returns) - Number(b.returns) || a.call - b.call);
}

/** All configurations that the history allows so far. A call takes effect only when a return needs it to: just in time. */
class Search {
  readonly #calls: readonly RegisterCall[];
  readonly #most: number;
  readonly #pending = new Set<number>();
  /** How many reads of a value have not returned yet. */
  readonly #toBeRead = new Map<string | undefined, number>();
  #configurations = new Map<string, Configuration>([['', { value: undefined, done: [] }]]);
  #seen = 0;

  constructor(calls: readonly RegisterCall[], most: number) {
    this.#calls = calls;
    this.#most = most;
    for (const { kind, value } of calls)
      if (kind === 'read') this.#toBeRead.set(value, (this.#toBeRead.get(value) ?? 0) + 1);
  }

  get isExhausted(): boolean {
    return this.#seen > this.#most;
  }

  /** What the register may hold right now. */
  get values(): readonly (string | undefined)[] {
    const values = new Set<string | undefined>();
    for (const { value } of this.#closure().values()) values.add(value);
    return [...values];
  }

  begin(call: number): void {
    this.#pending.add(call);
  }

  /** The call has taken effect by now. @returns false if that cannot be, or if there were too many configurations to know */
  end(call: number): boolean {
    const next = new Map<string, Configuration>();
    for (const configuration of this.#closure().values())
      if (configuration.done.includes(call)) keep(next, without(configuration, call));
    if (this.isExhausted || next.size === 0) return false;
    this.#pending.delete(call);
    const { kind, value } = this.#calls[call]!;
    if (kind === 'read') this.#readOnce(value);
    this.#configurations = this.#forgetUseless(next);
    return true;
  }

  /** Everything that pending calls can make of the configurations, in any order. */
  #closure(): ReadonlyMap<string, Configuration> {
    const all = new Map(this.#configurations);
    const open = [...all.values()];
    for (let from = open.pop(); from; from = open.pop()) {
      for (const call of this.#pending) {
        if (from.done.includes(call)) continue;
        const { kind, value } = this.#calls[call]!;
        if (kind === 'read' && value !== from.value) continue;
        const size = all.size;
        const to = { value: kind === 'read' ? from.value : value, done: inserted(from.done, call) };
        keep(all, to);
        if (all.size > size) open.push(to);
      }
      if (this.#seen + all.size > this.#most) break;
    }
    this.#seen += all.size - this.#configurations.size;
    return all;
  }

  #readOnce(value: string | undefined): void {
    this.#toBeRead.set(value, (this.#toBeRead.get(value) ?? 1) - 1);
  }

  /** A write that may still be carried out, but that no later read can show, need not be waited for. */
  #forgetUseless(configurations: Map<string, Configuration>): Map<string, Configuration> {
    const useless = [...this.#pending].filter((call) => {
      const { outcome, value } = this.#calls[call]!;
      return outcome === 'info' && (this.#toBeRead.get(value) ?? 0) === 0;
    });
    if (useless.length === 0) return configurations;
    for (const call of useless) this.#pending.delete(call);
    const kept = new Map<string, Configuration>();
    for (const each of configurations.values())
      keep(kept, { ...each, done: each.done.filter((call) => !useless.includes(call)) });
    return kept;
  }
}

function keep(all: Map<string, Configuration>, configuration: Configuration): void {
  const { value, done } = configuration;
  const key = `${done.join()} ${value ?? ''}${value === undefined ? '' : ' '}`;
  if (!all.has(key)) all.set(key, configuration);
}

function inserted(done: readonly number[], call: number): readonly number[] {
  return [...done, call].sort((a, b) => a - b);
}

function without({ value, done }: Configuration, call: number): Configuration {
  return { value, done: done.filter((each) => each !== call) };
}

function anomalyOf(key: string, call: RegisterCall, before: readonly (string | undefined)[]): Anomaly {
  const { client, value, calledMicros, returnedMicros } = call;
  const held = before.map(valueText).sort();
  const detail =
    `${client} read ${valueText(value)} in document ${key} between ${instantText(calledMicros)} and ` +
    `${instantText(returnedMicros)}, when by any order of the calls before it held ${held.join(' or ')}`;
  return { name: 'not linearizable', detail };
}

/** A value, formatted for a sentence. */
export function valueText(value: string | undefined): string {
  return value ?? 'nothing';
}

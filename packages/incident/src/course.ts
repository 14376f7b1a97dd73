import type { Fact, MemberLog, Seen } from './logs/memberLog.ts';

/** Something that anybody would notice: somebody leads, leads no more, or takes writes back. Unit: ms, by the member's own clock. */
export interface Turn {
  readonly atMs: number;
  readonly host: string;
  readonly what: string;
  /** An election's, which those that nobody won raise as well. */
  readonly term?: number;
  readonly seen: Seen;
}

/** Where a run and the logs part; one of the two has nothing then if it has ended, or has one turn less. */
export interface Departure {
  readonly logs: Turn | undefined;
  readonly run: Turn | undefined;
}

export interface Comparison {
  /** Turns that both have, in the same order. */
  readonly shared: number;
  readonly departure: Departure | undefined;
  /** By how much the shared ones are apart at most. Unit: ms. */
  readonly apartMs: number;
  /** By how much the run's terms are lower, where they are. */
  readonly termsBelow: number;
}

/** A turn that comes later or sooner by so much is another one. Unit: ms. */
const APART_MS = 1000;

/** What the logs of some members show of a set. Unit: ms, by the members' own clocks. */
export interface Course {
  /** Whose logs they are. */
  readonly hosts: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  /** Elections won, step-downs and rollbacks, in the order of time. */
  readonly turns: readonly Turn[];
}

export function courseOf(logs: ReadonlyMap<string, MemberLog>): Course {
  const all = [...logs.values()];
  return {
    hosts: [...logs.keys()],
    fromMs: Math.min(...all.map(({ firstMs }) => firstMs)),
    untilMs: Math.max(...all.map(({ lastMs }) => lastMs)),
    turns: [...logs]
      .flatMap(([host, { facts }]) => facts.flatMap((fact) => turnOf(fact, host) ?? []))
      .sort((a, b) => a.atMs - b.atMs),
  };
}

function turnOf(fact: Fact, host: string): Turn | undefined {
  const { atMs, seen } = fact;
  if (fact.kind === 'wins') return { atMs, host, what: 'wins an election', term: fact.term, seen };
  if (fact.kind === 'rolledBack') return { atMs, host, what: 'rolls back', seen };
  if (fact.kind !== 'state' || fact.from !== 'PRIMARY') return undefined;
  return { atMs, host, what: `goes from PRIMARY to ${fact.to}`, seen };
}

/** Whether a run takes the course that logs show. A run begins sooner, while its set comes to life, and goes on for a little longer. */
export function compareCourses(logs: Course, run: Course): Comparison {
  const { turns, hosts, fromMs, untilMs } = logs;
  const played = run.turns
    .filter(({ atMs, host }) => atMs >= fromMs && hosts.includes(host))
    .filter(({ atMs }, i) => i < turns.length || atMs <= untilMs);
  const isSame = (a: Turn, b: Turn | undefined) =>
    b !== undefined && a.host === b.host && a.what === b.what && Math.abs(a.atMs - b.atMs) < APART_MS;
  const parted = turns.findIndex((turn, i) => !isSame(turn, played[i]));
  const shared = parted < 0 ? turns.length : parted;
  const pairs = turns.slice(0, shared).map((turn, i) => [turn, played[i]!] as const);
  const departure = { logs: turns[shared], run: played[shared] };
  return {
    shared,
    departure: departure.logs === undefined && departure.run === undefined ? undefined : departure,
    apartMs: Math.max(0, ...pairs.map(([a, b]) => Math.abs(a.atMs - b.atMs))),
    termsBelow: Math.max(0, ...pairs.map(([a, b]) => (a.term ?? 0) - (b.term ?? 0))),
  };
}

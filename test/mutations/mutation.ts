import { allCheckers, Checkers, type Violation } from '@replsim/checker';
import { type Mongod, type MongodEvent, startMongod } from '@replsim/node';
import type { MemberMessage, Now } from '@replsim/protocol';
import { createHost, type MongodProcess, type ReplSet, type ReplSetOptions } from '@replsim/replset';
import { type PlayResult, parseScenario, playScenario } from '@replsim/scenario';

export type CheckerName = string;

/**
 * A member that does one thing wrong, and a short scenario in which it shows. Mutants are made here, of real members, by
 * the seam at which the host starts a process: nothing in `packages` knows of them.
 */
export interface Mutation {
  /** What the mutant does, as a clause: "a voter that …". */
  readonly name: string;
  /** The checker that this mutation is for, and after it those that see it at the same moment, as they must. */
  readonly fires: readonly [CheckerName, ...CheckerName[]];
  /** Checkers that see it coming: they fire before. */
  readonly preceded?: readonly CheckerName[];
  /** Who is a mutant; everybody if absent. */
  readonly members?: readonly string[];
  /** What is done to a process before its first event. */
  readonly change?: (mongod: Mongod) => void;
  /** Instead of what happens to a process, something else happens, or nothing. */
  readonly hears?: (event: MongodEvent, mongod: Mongod) => MongodEvent | undefined;
  /** The clocks that the process sees at an event. */
  readonly clocks?: (now: Now, event: MongodEvent) => Now;
  /** After each event. */
  readonly after?: (mongod: Mongod, event: MongodEvent) => void;
  /** YAML. It holds with honest members; with mutants it is played to the step in which the first checker fires. */
  readonly scenario: string;
}

export interface Played {
  readonly result: PlayResult;
  /**
   * The checkers that fired, each once, the first first; those that fire at one moment stand together. What comes later is
   * mostly a consequence: a set that elected two primaries soon has two histories.
   */
  readonly fired: readonly (readonly CheckerName[])[];
  readonly details: readonly string[];
}

/** Plays a mutation's scenario, with mutants or without. */
export async function play(mutation: Mutation, mutated: boolean): Promise<Played> {
  const scenario = parseScenario(`name: ${mutation.fires[0]}\n${mutation.scenario}`, `${mutation.fires[0]}.yaml`);
  const checkers = new Checkers(allCheckers());
  const result = await playScenario(scenario, (options) => createSet(mutation, mutated, options), {
    observers: [(event) => checkers.observe(event)],
  });
  const { violations } = checkers;
  return {
    result,
    fired: inMoments(violations),
    details: violations.map(({ name, detail, event }) => `${event.atMicros} ${name}: ${detail}`),
  };
}

/** A set with mutants in it, or without. */
export function createSet(mutation: Mutation, mutated: boolean, options: ReplSetOptions): Promise<ReplSet> {
  const host = createHost({
    startMongod: (startup, disk) => {
      const mongod = startMongod(startup, disk);
      const name = options.members.find((member) => (member.host ?? `${member.name}:27017`) === startup.host)!.name;
      return mutated && (mutation.members?.includes(name) ?? true) ? mutant(mongod, mutation) : mongod;
    },
  });
  return host.create(options);
}

function inMoments(violations: readonly Violation[]): CheckerName[][] {
  const seen = new Set<CheckerName>();
  const moments = new Map<number, CheckerName[]>();
  for (const { name, event } of violations) {
    if (seen.has(name)) continue;
    seen.add(name);
    moments.set(event.atMicros, [...(moments.get(event.atMicros) ?? []), name]);
  }
  return [...moments.values()];
}

function mutant(mongod: Mongod, { change, hears, clocks, after }: Mutation): MongodProcess {
  change?.(mongod);
  return {
    step(event, now) {
      const heard = hears === undefined ? event : hears(event, mongod);
      const effects = heard === undefined ? [] : mongod.step(heard, clocks === undefined ? now : clocks(now, heard));
      if (after === undefined) return effects;
      after(mongod, event);
      return [...effects, ...mongod.core.takeEffects()];
    },
    get changes() {
      return mongod.changes;
    },
    get saysPrimary() {
      return mongod.saysPrimary;
    },
    get keepsOplog() {
      return mongod.keepsOplog;
    },
    get oplogTruncations() {
      return mongod.oplogTruncations;
    },
    get saysArbiter() {
      return mongod.saysArbiter;
    },
    get electable() {
      return mongod.electable;
    },
    get barredUntilMicros() {
      return mongod.barredUntilMicros;
    },
    get durable() {
      return mongod.durable;
    },
    recovered: mongod.recovered,
    managesHost: (connectionId) => mongod.managesHost(connectionId),
    ask: (command, now) => mongod.ask(command, now),
  };
}

/** A property that answers as it likes; what is assigned to it is lost. */
export function pretend<T extends object, K extends keyof T>(object: T, key: K, value: () => T[K]): void {
  Object.defineProperty(object, key, { get: value, set: () => {}, configurable: true });
}

/** An event of a message, with another message in it; all other events as they are. */
export function rewrite(event: MongodEvent, change: (message: MemberMessage) => MemberMessage): MongodEvent {
  return event.type === 'message' ? { type: 'message', message: change(event.message) } : event;
}

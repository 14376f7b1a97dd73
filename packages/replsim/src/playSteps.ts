import type { ReplicaSetApi } from '@replsim/replset';
import { type PlayFailure, playScenario, type Scenario } from '@replsim/scenario';
import type { ServedSet } from '@replsim/server';

/** How often, in virtual time, a check is repeated even if nothing has changed. */
const LOOK_EVERY_MICROS = 1_000_000;

/** Thrown by `ReplicaSet.start({ scenario })` if a step of the scenario fails. */
export class ScenarioFailed extends Error {
  /** The step that failed, and why. */
  readonly failure: PlayFailure;

  constructor(file: string, failure: PlayFailure) {
    super(`${file}, ${failure.title}\n${failure.detail}`);
    this.name = 'ScenarioFailed';
    this.failure = failure;
  }
}

/**
 * Runs all steps of a scenario against a set that is already listening.
 * @throws ScenarioFailed
 */
export async function playSteps(served: ServedSet, scenario: Scenario): Promise<void> {
  const unheard: (() => void)[] = [];
  try {
    const { failure } = await playScenario(scenario, async () => pacedSet(served, unheard), { seed: served.set.seed });
    if (failure !== undefined) throw new ScenarioFailed(scenario.file, failure);
  } finally {
    for (const unhear of unheard) unhear();
  }
}

/** The set as the scenario player expects it. The pacer advances its time, which otherwise stands still meanwhile. */
function pacedSet(served: ServedSet, unheard: (() => void)[]): ReplicaSetApi {
  const { set, pacer } = served;
  const turned: Partial<ReplicaSetApi> = {
    advanceTo: async (untilMicros) => {
      await pacer.reach(() => false, untilMicros - set.nowMicros);
    },
    runUntil: (done, limitMicros) => pacer.reach(nowAndThen(set, done), limitMicros - set.nowMicros),
    // Starting a process must also open its port.
    fault: (action) => (action.type === 'start' ? served.start(action.member, action.options) : set.fault(action)),
    onTrace: (listener, types) => {
      const unhear = set.onTrace(listener, types);
      unheard.push(unhear);
      return unhear;
    },
    // The set outlives the scenario.
    close: async () => {},
  };
  return new Proxy<ReplicaSetApi>(set, {
    get: (_, key) => {
      const own = turned[key as keyof ReplicaSetApi] ?? Reflect.get(set, key, set);
      return typeof own === 'function' ? own.bind(set) : own;
    },
  });
}

/** Checks query every member, so they run only after a change, and once a second. */
function nowAndThen(set: ReplicaSetApi, done: () => boolean): () => boolean {
  let seen = -1;
  let lookAt = 0;
  let held = false;
  return () => {
    if (held || (set.changes === seen && set.nowMicros < lookAt)) return held;
    seen = set.changes;
    lookAt = set.nowMicros + LOOK_EVERY_MICROS;
    held = done();
    return held;
  };
}

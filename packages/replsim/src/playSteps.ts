import type { ReplicaSetApi } from '@replsim/replset';
import { type PlayFailure, playScenario, type Scenario } from '@replsim/scenario';
import type { ServedSet } from '@replsim/server';

/** How much virtual time goes by between two looks at something although nothing has changed. */
const LOOK_EVERY_MICROS = 1_000_000;

/** A step of the scenario that was to set the stage has failed. */
export class ScenarioFailed extends Error {
  readonly failure: PlayFailure;

  constructor(file: string, failure: PlayFailure) {
    super(`${file}, ${failure.title}\n${failure.detail}`);
    this.name = 'ScenarioFailed';
    this.failure = failure;
  }
}

/**
 * Does a scenario's steps with a set that is served, up to their end.
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

/** The set as the player wants it, whose time the pacer turns: meanwhile it stands still by itself. */
function pacedSet(served: ServedSet, unheard: (() => void)[]): ReplicaSetApi {
  const { set, pacer } = served;
  const turned: Partial<ReplicaSetApi> = {
    advanceTo: async (untilMicros) => {
      await pacer.reach(() => false, untilMicros - set.nowMicros);
    },
    runUntil: (done, limitMicros) => pacer.reach(nowAndThen(set, done), limitMicros - set.nowMicros),
    // A port opens with the process behind it.
    fault: (action) => (action.type === 'start' ? served.start(action.member, action.options) : set.fault(action)),
    onTrace: (listener) => void unheard.push(set.onTrace(listener)),
    // It lives on.
    close: async () => {},
  };
  return new Proxy<ReplicaSetApi>(set, {
    get: (_, key) => {
      const own = turned[key as keyof ReplicaSetApi] ?? Reflect.get(set, key, set);
      return typeof own === 'function' ? own.bind(set) : own;
    },
  });
}

/** Checks ask all members; they are made only after a change, and each second. */
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

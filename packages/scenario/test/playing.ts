import type { TraceEvent } from '@replsim/protocol';
import { type PlayOptions, type PlayResult, parseScenario, playScenario } from '../src/index.ts';
import { FakeSet } from './fakeSet.ts';

export interface Played {
  readonly result: PlayResult;
  readonly set: FakeSet;
  readonly events: TraceEvent[];
}

/**
 * Plays steps, one YAML text each, on a fake set.
 * @param prepare tells the members what to answer
 */
export async function play(
  steps: readonly string[],
  prepare: (set: FakeSet) => void = () => {},
  options: PlayOptions = {},
  head = '',
): Promise<Played> {
  const text = `name: A claim\n${head}\nsteps:\n${steps.map((step) => `  - ${step}\n`).join('')}`;
  const events: TraceEvent[] = [];
  let set: FakeSet | undefined;
  const result = await playScenario(
    parseScenario(text, 'fake.yaml'),
    async (setOptions) => {
      set = new FakeSet(setOptions);
      prepare(set);
      return set;
    },
    { onTrace: (event) => events.push(event), ...options },
  );
  return { result, set: set!, events };
}

/** The failure in two words: what was asked and what came back. */
export function complaint({ result }: Played): [asked: string, got: string] | undefined {
  return result.failure && [result.failure.asked, result.failure.got];
}

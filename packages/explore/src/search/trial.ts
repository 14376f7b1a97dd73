import { allCheckers, type Checker, Checkers } from '@replsim/checker';
import type { TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { type CreateSet, InvalidScenario, playScenario, type Scenario, type Sometimes } from '@replsim/scenario';
import { type Coverage, CoverageCount, NO_COVERAGE } from './coverage.ts';
import { type Failure, isFailure, judged, type Obstacle } from './failure.ts';
import { readOnce } from './readOnce.ts';

/** A text to be played. */
export interface TrialInput {
  readonly text: string;
  /** Undefined: the text's own. */
  readonly seed?: number;
  /** Whether the instants at which something happened are wanted. */
  readonly wantsInstants?: boolean;
}

/** What one run has shown. */
export interface Trial {
  readonly failure?: Failure;
  /** Why it was not played to its end, which shows nothing false. */
  readonly obstacle?: Obstacle | { readonly of: 'text'; readonly title: string; readonly reason: string };
  readonly coverage: Coverage;
  readonly seed: number;
  /** When the steps began, behind `begin`, and when the run was over. */
  readonly beganMicros: number;
  readonly endMicros: number;
  readonly members: readonly string[];
  /** The different instants at which something happened, in order. */
  readonly instants?: readonly number[];
  /** When each step began, by its index. */
  readonly steps: ReadonlyMap<number, number>;
  /** When each was over, by its index; checks by their text. */
  readonly ends: ReadonlyMap<number | string, number>;
  /** Of each `sometimes` of the scenario, in its order, how often it held. */
  readonly sometimes?: readonly Sometimes[];
}

/** Plays a text once, with all invariants watching if nobody says which. What only a bug of ours can throw is thrown. */
export async function tryOut(
  { text, seed, wantsInstants = false }: TrialInput,
  create: CreateSet = (options) => ReplSet.create(options),
  invariants: readonly Checker[] = allCheckers(),
): Promise<Trial> {
  const watch = new Watch(wantsInstants);
  let scenario: Scenario;
  try {
    scenario = readOnce(text, 'scenario.yaml');
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    return {
      ...watch.seen,
      coverage: NO_COVERAGE,
      seed: seed ?? 0,
      endMicros: 0,
      obstacle: { of: 'text', title: error.message, reason: reasonOf(error) },
    };
  }
  const checkers = new Checkers(invariants);
  const result = await playScenario(scenario, create, {
    ...(seed !== undefined && { seed }),
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => watch.observe(event),
  });
  const judgement = judged(scenario, result);
  return {
    ...watch.seen,
    seed: result.seed,
    endMicros: result.virtualMicros,
    ...(result.sometimes && { sometimes: result.sometimes }),
    ...(judgement && (isFailure(judgement) ? { failure: judgement } : { obstacle: judgement })),
  };
}

/** The first mistake, without its place: the text was made here, so nobody has a file to look it up in. */
export function reasonOf({ mistakes: [first], message }: InvalidScenario): string {
  if (first === undefined) return message;
  return first.suggestion === undefined ? first.message : `${first.message}; ${first.suggestion}`;
}

/** What is kept of a trace. */
class Watch {
  readonly #count = new CoverageCount();
  readonly #instants: number[] | undefined;
  readonly #steps = new Map<number, number>();
  readonly #ends = new Map<number | string, number>();
  #members: readonly string[] = [];
  #beganMicros = 0;

  constructor(wantsInstants: boolean) {
    if (wantsInstants) this.#instants = [];
  }

  observe(event: TraceEvent): void {
    this.#count.observe(event);
    if (event.type === 'runStarted') this.#members = event.members;
    else if (event.type === 'step' && event.index >= 0 && !this.#steps.has(event.index))
      this.#steps.set(event.index, event.atMicros);
    else if (event.type === 'checked') this.#ends.set(event.text, event.atMicros);
    else if (event.type === 'stepEnded') this.#ended(event);
    if (this.#instants && this.#instants.at(-1) !== event.atMicros) this.#instants.push(event.atMicros);
  }

  #ended({ index, atMicros }: { readonly index: number; readonly atMicros: number }): void {
    this.#ends.set(index, atMicros);
    if (index === 0) this.#beganMicros = atMicros;
  }

  get seen() {
    return {
      coverage: this.#count.counts,
      beganMicros: this.#beganMicros,
      members: this.#members,
      steps: this.#steps,
      ends: this.#ends,
      ...(this.#instants && { instants: this.#instants }),
    };
  }
}

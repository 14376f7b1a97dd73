import { parseDuration } from '@replsim/kernel';
import { Draft, type FaultAt } from '../search/draft.ts';
import type { Failure } from '../search/failure.ts';
import type { Trial, TrialInput } from '../search/trial.ts';
import { fewerEntries, fewerFields, plainer, rounderDurations } from './pieces.ts';

/** A smaller scenario that fails for the same reason. */
export interface Shrunk {
  readonly text: string;
  readonly failure: Failure;
  /** Steps and faults together: before, and now. */
  readonly from: number;
  readonly to: number;
  /** How many runs it took. */
  readonly runs: number;
}

export interface ShrinkOptions {
  readonly seed: number;
  readonly play: (input: TrialInput) => Promise<Trial>;
  /** So many runs at most. */
  readonly runs?: number;
  readonly isOver?: () => boolean;
  /** Told after each run. @param progress how many runs there were, and how many steps and faults are left */
  readonly onProgress?: (progress: { readonly runs: number; readonly size: number }) => void;
}

const DEFAULT_RUNS = 2000;

/** Something that a draft may lose; undefined if it has nothing of the kind. */
type Reduction = (draft: Draft, trial: Trial) => Generator<Draft>;

/**
 * Takes away what the failure does not need, as long as the same fails: steps, faults, members, settings; then it rounds what is left.
 * @returns undefined if the text does not fail
 */
export async function shrink(text: string, options: ShrinkOptions): Promise<Shrunk | undefined> {
  const search = new Search(options);
  const first = await search.play(Draft.of(text));
  if (!first.failure) return undefined;
  const begun = Draft.of(text).set(['seed'], options.seed);
  const draft = await search.smallest(begun, first);
  return {
    text: draft.text,
    failure: search.failure ?? first.failure,
    from: sizeOf(Draft.of(text)),
    to: sizeOf(draft),
    runs: search.runs,
  };
}

function sizeOf(draft: Draft): number {
  return draft.steps.length + draft.faults;
}

class Search {
  readonly #options: ShrinkOptions;
  /** Texts that do not fail so, which need not be played twice. */
  readonly #rejected = new Set<string>();
  failure: Failure | undefined;
  runs = 0;

  constructor(options: ShrinkOptions) {
    this.#options = options;
  }

  play(draft: Draft): Promise<Trial> {
    this.runs += 1;
    return this.#options.play({ text: draft.text, seed: this.#options.seed });
  }

  /** Goes through all reductions, again and again, until none of them is of use. */
  async smallest(begun: Draft, first: Trial): Promise<Draft> {
    this.failure = first.failure;
    let draft = begun;
    let trial = first;
    for (let isSmaller = true; isSmaller && !this.#isOver; ) {
      isSmaller = false;
      for (const reduction of REDUCTIONS) {
        for (
          let found = await this.#tried(reduction, draft, trial);
          found;
          found = await this.#tried(reduction, draft, trial)
        ) {
          [draft, trial] = found;
          isSmaller = true;
        }
      }
    }
    return draft;
  }

  /** The first that still fails so. */
  async #tried(reduction: Reduction, draft: Draft, trial: Trial): Promise<[Draft, Trial] | undefined> {
    const { text } = draft;
    for (const smaller of reduction(draft, trial)) {
      if (this.#isOver) return undefined;
      if (smaller.text === text || this.#rejected.has(smaller.text)) continue;
      const tried = await this.play(smaller);
      this.#options.onProgress?.({ runs: this.runs, size: sizeOf(draft) });
      if (tried.failure?.sameAs !== this.failure?.sameAs) {
        this.#rejected.add(smaller.text);
        continue;
      }
      this.failure = tried.failure;
      return [smaller, tried];
    }
    return undefined;
  }

  get #isOver(): boolean {
    const { runs = DEFAULT_RUNS, isOver } = this.#options;
    return this.runs >= runs || isOver?.() === true;
  }
}

/** Halves first, then quarters, then one by one. */
function* stretches(length: number): Generator<[from: number, count: number]> {
  for (let count = length; count >= 1; count = Math.floor(count / 2))
    for (let from = length - count; from >= 0; from -= count) yield [from, count];
}

const REDUCTIONS: readonly Reduction[] = [
  function* fewerFaults(draft) {
    for (const [from, count] of stretches(draft.faults))
      yield draft.copy().removeFaults(new Set(Array.from({ length: count }, (_, i) => from + i)));
  },
  function* fewerSteps(draft) {
    for (const [from, count] of stretches(draft.steps.length)) yield draft.copy().removeSteps(from, count);
  },
  function* fewerKeys(draft) {
    for (const key of draft.keys) if (!NEEDED.includes(key)) yield draft.copy().delete(key);
  },
  function* fewerMembers(draft) {
    const members = draft.get('replicaSet', 'members');
    const count = Array.isArray(members) ? members.length : typeof members === 'number' ? members : undefined;
    if (count === undefined) return;
    for (let fewer = 1; fewer < count; fewer++)
      yield draft.copy().set(['replicaSet', 'members'], Array.isArray(members) ? members.slice(0, fewer) : fewer);
  },
  stepsInsteadOfFaults,
  plainer,
  fewerEntries,
  fewerFields,
  rounderDurations,
];

const NEEDED = ['name', 'seed', 'replicaSet', 'steps', 'meanwhile'];

/** What happens meanwhile as steps, where that fails the same: so people write it. */
function* stepsInsteadOfFaults(draft: Draft, trial: Trial): Generator<Draft> {
  const faults = Array.from({ length: draft.faults }, (_, i) => {
    // Steps are not optional: where it could not be done, it has to go.
    const { at, optional: _optional, ...fault } = draft.get('meanwhile', i) as { at: string } & FaultAt['fault'];
    return { at, atMicros: parseDuration(at) ?? 0, fault };
  });
  if (faults.length === 0) return;
  const steps = [...trial.steps].filter(([index]) => index > 0).sort(([a], [b]) => a - b);
  const stepped = draft.copy().delete('meanwhile');
  for (const { at, atMicros, fault } of faults.sort((a, b) => b.atMicros - a.atMicros)) {
    const next = steps.find(([, began]) => began > atMicros);
    const under = steps.findLast(([, began]) => began <= atMicros);
    const index = (under?.[0] ?? next?.[0] ?? 1) - 1;
    stepped.insert(index, { advance: { to: at } }, fault);
  }
  yield stepped;
}

import { Random } from '@replsim/kernel';
import {
  allSteps,
  DRAWN_AT_MOST,
  type Exploring,
  InvalidScenario,
  parseScenario,
  type Scenario,
  type Sometimes,
  USUAL_KINDS,
} from '@replsim/scenario';
import { Draft, type FaultAt } from './draft.ts';
import { everywhere, type FaultText, instantsBefore } from './everywhere.ts';
import { ExploreError } from './exploreError.ts';
import { finalChecksAt } from './finalChecks.ts';
import type { Range } from './range.ts';
import { type Finding, joined, type Stretch, Stretches } from './stretches.ts';
import type { Sums } from './sums.ts';
import { drawFaults, type Field, possibleKinds } from './swarm.ts';
import { reasonOf, type Trial, type TrialInput } from './trial.ts';

/** How runs differ from each other. */
export type Mode =
  /** By their seeds alone. */
  | { readonly kind: 'seeds' }
  /** By faults that chance draws; what is given here goes before what the scenario says in `explore:`. */
  | ({ readonly kind: 'faults'; readonly kinds?: readonly string[] } & Omit<Exploring, 'faults'>)
  /** By the instant at which given faults happen. */
  | { readonly kind: 'everywhere'; readonly faults: readonly FaultText[]; readonly duringMicros?: number };

export interface ExploreOptions {
  readonly mode: Mode;
  /** Of the first run; undefined: the text's own. */
  readonly seed?: number;
  /** So many runs at most. */
  readonly runs: number;
  /** So many different findings at most. */
  readonly stopAt: number;
  /** What `baseOf` came to, if that is known. */
  readonly base?: Trial;
  /** Plays a run. */
  readonly play: (input: TrialInput) => Promise<Trial>;
  /** How many may be under way at once; what is found does not depend on it. */
  readonly atOnce?: number;
  readonly onProgress?: (progress: Progress) => void;
  /** Only these of so many runs; all by default. */
  readonly part?: (count: number) => Range;
  /** Asked after each run. */
  readonly isOver?: () => boolean;
}

/** What is known so far. */
export interface Progress {
  readonly runs: number;
  /** How many there are to be. */
  readonly of: number;
  /** How many different findings there are. */
  readonly found: number;
}

export interface Explored extends Sums {
  /** What came of the scenario as it stands, whether or not it is one of these runs. */
  readonly base: Pick<Trial, 'failure' | 'seed' | 'sometimes'> & { readonly kinds?: readonly string[] };
  /** How many runs there were to be, in all parts. */
  readonly of: number;
  readonly findings: readonly Finding[];
  /** What others can be joined to. */
  readonly stretches: readonly Stretch[];
}

/**
 * Looks for a run in which what a scenario claims does not hold. The same text, mode and seed try the same runs, in the same order.
 * @throws ExploreError if the scenario cannot be read, or not with what is to happen in it
 */
export async function explore(text: string, options: ExploreOptions): Promise<Explored> {
  const { mode, stopAt, isOver = () => false, part = (count) => ({ from: 0, to: count }) } = options;
  const base = options.base ?? (await baseOf(text, options));
  if (base.obstacle?.of === 'text') throw new ExploreError(base.obstacle.title);
  const variants = variantsOf(text, base, mode, options.runs);
  const { from, to } = part(variants.count);
  const stretches = new Stretches(from);
  let runs = 0;
  const take = (trial: Trial, input: Input) => {
    // The base can be read, so this is what was put into it.
    if (trial.obstacle?.of === 'text') throw new ExploreError(mistakeIn(mode, trial.obstacle));
    stretches.take(trial, input);
    runs += 1;
  };
  // That one is known already.
  if (from === 0 && to > 0) take(base, { text, seed: base.seed });
  if (stretches.found < stopAt && !isOver())
    for await (const [trial, input] of inOrder(variants, { from: Math.max(from, 1), to }, options)) {
      take(trial, input);
      options.onProgress?.({ runs, of: to - from, found: stretches.found });
      if (stretches.found >= stopAt || isOver()) break;
    }
  const { kinds } = variants;
  return exploredOf(stretches.all, { base: { ...base, ...(kinds && { kinds }) }, of: variants.count, stopAt });
}

/** Plays the scenario as it stands. */
export function baseOf(
  text: string,
  { mode, seed, play }: Pick<ExploreOptions, 'mode' | 'seed' | 'play'>,
): Promise<Trial> {
  return play({ text, ...(seed !== undefined && { seed }), wantsInstants: mode.kind === 'everywhere' });
}

/** What the runs of one process come to, or of several that were told the same. */
export function exploredOf(
  stretches: readonly Stretch[],
  { base, of, stopAt }: Pick<Explored, 'base' | 'of'> & Pick<ExploreOptions, 'stopAt'>,
): Explored {
  const { failure, seed, sometimes, kinds } = base;
  const kept = { ...(failure && { failure }), seed, ...(sometimes && { sometimes }), ...(kinds && { kinds }) };
  return { base: kept, of, ...joined(stretches, stopAt), stretches };
}

/** What should hold in some run and did in none, by the lines of the file. */
export function neverReached({ base, sometimes }: Pick<Explored, 'base' | 'sometimes'>): readonly Sometimes[] {
  return (base.sometimes ?? []).filter((_, i) => (sometimes[i] ?? 0) === 0);
}

/** What was put into a text that can be read. A fault that somebody wrote is named, as its place is in no file of theirs. */
function mistakeIn(mode: Mode, { title, reason }: { readonly title: string; readonly reason: string }): string {
  if (mode.kind !== 'everywhere') return title;
  return `${mode.faults.map(written).join(' and ')} cannot happen here: ${reason}`;
}

function written({ fault }: FaultText): string {
  return Object.entries(fault)
    .map(([kind, what]) => `"${kind} ${typeof what === 'string' ? what : JSON.stringify(what)}"`)
    .join();
}

type Input = Required<Pick<TrialInput, 'text' | 'seed'>>;

/** Runs, as if one were played after the other. */
async function* inOrder(
  variants: Variants,
  { from, to }: Range,
  { play, atOnce = 1 }: ExploreOptions,
): AsyncGenerator<[Trial, Input]> {
  // Who is done with a short run need not wait for a long one that others are busy with.
  const ahead = atOnce > 1 ? 2 * atOnce : 1;
  const underWay: (readonly [Promise<Trial>, Input])[] = [];
  for (let next = from; ; ) {
    while (underWay.length < ahead && next < to) {
      const input = variants.at(next++);
      const trial = play(input);
      // Who breaks off does not hear of those behind.
      trial.catch(() => {});
      underWay.push([trial, input]);
    }
    const first = underWay.shift();
    if (!first) return;
    yield [await first[0], first[1]];
  }
}

/** It has been read before, and has no mistakes. */
const FILE = 'scenario.yaml';

/** The runs that are to be tried; the first, at 0, is the scenario as it stands. */
interface Variants {
  readonly count: number;
  /** Of faults that may be drawn. */
  readonly kinds?: readonly string[];
  at(index: number): Input;
}

function variantsOf(text: string, base: Trial, mode: Mode, runs: number): Variants {
  const withFaults = (faults: readonly FaultAt[]) => Draft.of(text).add(faults).text;
  switch (mode.kind) {
    case 'seeds':
      return { count: runs, at: (index) => ({ text, seed: base.seed + index }) };
    case 'everywhere': {
      const { duringMicros = parseScenario(text, FILE).exploring?.duringMicros ?? Number.POSITIVE_INFINITY } = mode;
      const instants = instantsBefore(base.instants ?? [], base.beganMicros);
      const all = everywhere(
        mode.faults,
        instants.filter((at) => at <= base.beganMicros + duringMicros),
      );
      return {
        count: Math.min(runs, 1 + all.count),
        at: (index) => ({ text: withFaults(all.at(index - 1)), seed: base.seed }),
      };
    }
    case 'faults': {
      const field = fieldOf(parseScenario(text, FILE), base, mode);
      const at = (index: number) => {
        const faults = drawFaults(field, Random.fromSeed(base.seed).split('explore', index));
        return { text: withFaults(faults), seed: base.seed + index };
      };
      return { count: runs, at, kinds: possibleKinds(field) };
    }
  }
}

/**
 * The members that names mean, of members and of zones, as `explore: { members: … }` in the text would.
 * @throws ExploreError if it could not stand there
 */
export function befalledBy(text: string, names: readonly string[]): readonly string[] {
  try {
    const { exploring } = parseScenario(Draft.of(text).set(['explore', 'members'], names).text, FILE);
    return exploring?.members ?? names;
  } catch (error) {
    if (!(error instanceof InvalidScenario)) throw error;
    throw new ExploreError(reasonOf(error));
  }
}

/** @throws ExploreError where nothing could be drawn */
function fieldOf(scenario: Scenario, base: Trial, { kinds, ...given }: Mode & { kind: 'faults' }): Field {
  const bounds = { ...scenario.exploring, ...given };
  const { members, beganMicros: fromMicros, endMicros } = base;
  const { heal = true, overlap = false, duringMicros = endMicros } = bounds;
  const overMicros = heal ? finalChecksAt(scenario, base) : endMicros;
  const field: Field = {
    members,
    befalls: bounds.members ?? members,
    specs: scenario.options.members,
    hasClients: allSteps(scenario.steps).some(({ key }) => key === 'workload'),
    kinds: kinds ?? scenario.exploring?.faults ?? USUAL_KINDS,
    fromMicros,
    toMicros: Math.min(fromMicros + duringMicros, overMicros),
    overMicros,
    heal,
    overlap,
    atMost: bounds.atMost ?? DRAWN_AT_MOST,
  };
  if (field.toMicros <= fromMicros)
    throw new ExploreError(
      'no time passes before the final checks, so that no fault could happen: add for example "- advance: 30s" before them',
    );
  if (possibleKinds(field).length === 0)
    throw new ExploreError(`nothing can be drawn: ${field.kinds.join(', ')} cannot befall what this scenario has`);
  return field;
}

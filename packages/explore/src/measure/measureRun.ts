import { allCheckers, Checkers } from '@replsim/checker';
import { ReplSet } from '@replsim/replset';
import { type CreateSet, playScenario, variantOf } from '@replsim/scenario';
import { readOnce } from '../search/readOnce.ts';
import { type Figures, figuresOf } from './figures.ts';
import { RunWatch } from './runFacts.ts';

/** A run to be measured. */
export interface MeasureInput {
  readonly text: string;
  /** As messages show it. */
  readonly file: string;
  /** Undefined: the scenario as it is written. */
  readonly variant?: string;
  readonly seed: number;
}

/** What a run has shown. */
export interface Measured {
  readonly seed: number;
  /** None of a run that did not come to its end. */
  readonly figures: Figures;
  /** The first check that failed, or the invariant that was broken; the run went on behind the former. */
  readonly failed?: string;
  /** What kept it from its end. */
  readonly obstacle?: string;
}

/** Plays a scenario once, on behind checks that fail, with all invariants watching. @throws InvalidScenario */
export async function measureRun(
  { text, file, variant, seed }: MeasureInput,
  create: CreateSet = (options) => ReplSet.create(options),
): Promise<Measured> {
  const written = readOnce(text, file);
  const scenario = variant === undefined ? written : variantOf(written, variant);
  const watch = new RunWatch();
  const checkers = new Checkers(allCheckers());
  const result = await playScenario(scenario, create, {
    seed,
    playsOn: true,
    ttlReport: true,
    observers: [(event) => checkers.observe(event)],
    onTrace: (event) => watch.observe(event),
  });
  const [broken] = result.brokenInvariants;
  const last = result.failures.at(-1);
  const failed = broken
    ? `invariant ${broken.name}: ${broken.detail}`
    : result.isWhole
      ? result.failure?.title
      : undefined;
  return {
    seed,
    figures: result.isWhole ? figuresOf(watch.facts(result)) : {},
    ...(failed !== undefined && { failed }),
    ...(!result.isWhole && last && { obstacle: last.title }),
  };
}

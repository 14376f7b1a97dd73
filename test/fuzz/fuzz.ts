import {
  type Explored,
  explore,
  type Finding,
  NO_COVERAGE,
  type Shrunk,
  shrink,
  type Trial,
  type TrialInput,
} from '@replsim/explore';
import { required } from '@replsim/protocol';
import { parseScenario } from '@replsim/scenario';
import { BEGUN_MICROS, drawScenario, HEALED_MICROS } from './drawing/drawScenario.ts';
import { type Company, judge } from './judge.ts';
import type { Found, Outcome } from './report.ts';
import { Tally } from './tally.ts';

const WITH_FAULTS = 1;
const MANY_FINDINGS = 99;
const SHRINK_RUNS = 600;

/** Draws a scenario, and lets an exploration look for a run in which what it claims does not hold. */
export function fuzz(seed: number, tally: Tally, company: Company = {}): Promise<Explored> {
  return exploring(seed, (input) => judge(input, tally, company));
}

function exploring(seed: number, play: (input: TrialInput) => Promise<Trial>): Promise<Explored> {
  const text = drawScenario(seed);
  const runs = 1 + WITH_FAULTS;
  return explore(text, { mode: { kind: 'faults' }, runs, stopAt: MANY_FINDINGS, base: baseOf(text, seed), play });
}

/** What a seed draws, with the faults that an exploration puts into it. */
export async function drawnWithFaults(seed: number): Promise<TrialInput> {
  const inputs: TrialInput[] = [];
  await exploring(seed, async (input) => {
    inputs.push(input);
    return baseOf(input.text, seed);
  });
  return required(inputs[0], 'run with faults');
}

/** What a run without faults would come to, as far as an exploration asks: drawn scenarios say when what goes wrong begins and is over. */
function baseOf(text: string, seed: number): Trial {
  const { options, steps } = parseScenario(text, 'drawn.yaml');
  return {
    seed,
    coverage: NO_COVERAGE,
    members: options.members.map(({ name }) => name),
    beganMicros: BEGUN_MICROS,
    endMicros: HEALED_MICROS,
    steps: new Map(),
    ends: new Map(steps.map(({ index }) => [index, HEALED_MICROS])),
  };
}

/** The same, and the smallest scenario that fails as each finding does. */
export async function foundIn(seed: number): Promise<Outcome> {
  const tally = new Tally();
  const { findings } = await fuzz(seed, tally);
  const found: Found[] = [];
  for (const finding of findings) {
    const { title, detail } = finding.failure;
    found.push({ seed: finding.seed, title, detail, text: (await shrunk(finding))?.text });
  }
  return { seed, counts: [...tally.counts], found };
}

function shrunk({ text, seed }: Finding): Promise<Shrunk | undefined> {
  return shrink(text, { seed, runs: SHRINK_RUNS, play: (input) => judge(input, new Tally()) });
}

/** Plays a text with its own seed, as it stands. */
export function judgedFile(text: string): Promise<Trial> {
  return judge({ text }, new Tally());
}

import { existsSync, statSync } from 'node:fs';
import type { ExploreOptions, Question } from '@replsim/explore';
import { shown } from '../files.ts';
import { InputError } from '../io.ts';
import { readScenario } from '../scenarioText.ts';
import { VERSION } from '../version.ts';

export const MODES = ['faults', 'seeds', 'everywhere'] as const;

/** How `replsim explore` says what varies. */
export interface QuestionOptions {
  readonly mode: (typeof MODES)[number];
  /** Of `everywhere`: what happens; of two, a second that happens as well. */
  readonly fault?: readonly string[];
  /** Two of them, or the same twice. */
  readonly pairs?: boolean;
  /** Of `faults`: the kinds that are drawn, and how many at most. */
  readonly kinds?: readonly string[];
  readonly atMost?: number;
  /** Whom they befall, members and zones, and whether all of them end. */
  readonly members?: readonly string[];
  readonly heal?: boolean;
  /** Of `faults` and `everywhere`: they begin so long after the first step. Unit: µs. */
  readonly during?: number;
  readonly runs?: number;
  readonly timeMicros?: number;
  readonly stopAt?: number;
  readonly seed?: number;
}

const DEFAULT_RUNS = 1000;

/** @throws InputError */
export async function questionOf(path: string, options: QuestionOptions): Promise<Question> {
  const { seed, stopAt = 1 } = options;
  const text = textOf(path);
  return {
    kind: 'explore',
    replsim: VERSION,
    file: shown(path),
    text,
    mode: await modeOf(text, options),
    runs: runsOf(options),
    stopAt,
    ...(seed !== undefined && { seed }),
  };
}

export function textOf(path: string): string {
  if (!existsSync(path)) throw new InputError(`${path}: no such file; replsim list shows which there are`);
  if (statSync(path).isDirectory()) throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  return readScenario(path);
}

async function modeOf(text: string, options: QuestionOptions): Promise<ExploreOptions['mode'] & Question['mode']> {
  refuseOfOtherModes(options);
  const { mode, during } = options;
  const stretch = during === undefined ? {} : { duringMicros: during };
  if (mode === 'seeds') return { kind: 'seeds' };
  if (mode === 'faults') return { kind: 'faults', ...stretch, ...(await drawing(text, options)) };
  const { fault, pairs } = options;
  const { faultTextOf } = await import('@replsim/explore');
  if (fault === undefined) throw new InputError('--mode everywhere needs a fault: --fault "kill primary"');
  if (fault.length > 2) throw new InputError('--fault: two at most; each pair of instants is a run');
  const faults = pairs && fault.length === 1 ? [...fault, ...fault] : fault;
  return { kind: 'everywhere', ...stretch, faults: faults.map((each) => faultTextOf(each) as never) };
}

/** @throws InputError for options that would do nothing */
function refuseOfOtherModes({ mode, fault, pairs, kinds, atMost, members, heal, during }: QuestionOptions): void {
  const belongs: readonly (readonly [name: string, given: unknown, modes: readonly QuestionOptions['mode'][]])[] = [
    ['--fault', fault, ['everywhere']],
    ['--pairs', pairs, ['everywhere']],
    ['--kinds', kinds, ['faults']],
    ['--at-most', atMost, ['faults']],
    ['--members', members, ['faults']],
    [heal ? '--heal' : '--no-heal', heal, ['faults']],
    ['--during', during, ['faults', 'everywhere']],
  ];
  for (const [name, given, modes] of belongs)
    if (given !== undefined && !modes.includes(mode))
      throw new InputError(`${name} belongs to --mode ${modes.join(' and --mode ')}`);
}

/** What overrides the file's `explore:` block. */
async function drawing(text: string, { kinds, atMost, members, heal }: QuestionOptions) {
  const { befalledBy, ExploreError } = await import('@replsim/explore');
  const { DRAWN_KINDS } = await import('@replsim/scenario');
  const unknown = kinds?.find((kind) => !DRAWN_KINDS.includes(kind));
  if (unknown !== undefined)
    throw new InputError(`--kinds: ${unknown || '""'} cannot be drawn; these can: ${DRAWN_KINDS.join(', ')}`);
  try {
    return {
      ...(atMost !== undefined && { atMost }),
      ...(kinds && { kinds: [...kinds] }),
      ...(members && { members: [...befalledBy(text, members)] }),
      ...(heal !== undefined && { heal }),
    };
  } catch (error) {
    if (error instanceof ExploreError) throw new InputError(`--members: ${error.message}`);
    throw error;
  }
}

/** Of `everywhere` all instants, unless somebody wants fewer. */
function runsOf({ mode, runs, timeMicros }: QuestionOptions): number {
  return runs ?? (mode === 'everywhere' || timeMicros !== undefined ? Number.MAX_SAFE_INTEGER : DEFAULT_RUNS);
}

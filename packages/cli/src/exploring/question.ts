import { existsSync, statSync } from 'node:fs';
import type { ExploreOptions, Question } from '@replsim/explore';
import { readText, shown } from '../files.ts';
import { InputError } from '../io.ts';
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
  readonly runs?: number;
  readonly timeMicros?: number;
  readonly stopAt?: number;
  readonly seed?: number;
}

const DEFAULT_RUNS = 1000;

/** @throws InputError */
export async function questionOf(path: string, options: QuestionOptions): Promise<Question> {
  const { seed, stopAt = 1 } = options;
  return {
    kind: 'explore',
    replsim: VERSION,
    file: shown(path),
    text: textOf(path),
    mode: await modeOf(options),
    runs: runsOf(options),
    stopAt,
    ...(seed !== undefined && { seed }),
  };
}

export function textOf(path: string): string {
  if (!existsSync(path)) throw new InputError(`${path}: no such file; replsim list shows which there are`);
  if (statSync(path).isDirectory()) throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  return readText(path);
}

async function modeOf(options: QuestionOptions): Promise<ExploreOptions['mode'] & Question['mode']> {
  const { mode, fault, pairs, kinds, atMost } = options;
  if (fault !== undefined && mode !== 'everywhere') throw new InputError('--fault belongs to --mode everywhere');
  if (pairs && mode !== 'everywhere') throw new InputError('--pairs belongs to --mode everywhere');
  for (const [name, given] of [
    ['--kinds', kinds],
    ['--at-most', atMost],
  ] as const)
    if (given !== undefined && mode !== 'faults') throw new InputError(`${name} belongs to --mode faults`);
  const { faultTextOf } = await import('@replsim/explore');
  const { DRAWN_KINDS } = await import('@replsim/scenario');
  if (mode === 'seeds') return { kind: 'seeds' };
  if (mode === 'faults') {
    const unknown = kinds?.find((kind) => !DRAWN_KINDS.includes(kind));
    if (unknown !== undefined)
      throw new InputError(`--kinds: ${unknown} cannot be drawn; these can: ${DRAWN_KINDS.join(', ')}`);
    return { kind: 'faults', ...(atMost !== undefined && { atMost }), ...(kinds && { kinds: [...kinds] }) };
  }
  if (fault === undefined) throw new InputError('--mode everywhere needs a fault: --fault "kill primary"');
  if (fault.length > 2) throw new InputError('--fault: two at most; each pair of instants is a run');
  const faults = pairs && fault.length === 1 ? [...fault, ...fault] : fault;
  return { kind: 'everywhere', faults: faults.map((each) => faultTextOf(each) as never) };
}

/** Of `everywhere` all instants, unless somebody wants fewer. */
function runsOf({ mode, runs, timeMicros }: QuestionOptions): number {
  return runs ?? (mode === 'everywhere' || timeMicros !== undefined ? Number.MAX_SAFE_INTEGER : DEFAULT_RUNS);
}

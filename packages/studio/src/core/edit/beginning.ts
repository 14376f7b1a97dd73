import { parseDocument } from 'yaml';
import type { Difference } from './difference.ts';
import { secondOf } from './differing.ts';

/** A scenario of which another is to be made, and the seed it is played with. */
interface First {
  readonly text: string;
  /** Instead of its own. */
  readonly seed: number | undefined;
  /** Of its last run. */
  readonly playedSeed: number | undefined;
}

/** What to begin with of a kind, so that the second scenario is another one: the first value that is not already there. */
export function beginningOf(kind: Exclude<Difference['kind'], 'text'>, first: First): Difference {
  if (kind === 'seed') return { kind, seed: (first.seed ?? first.playedSeed ?? 1) + 1 };
  const said = saidBy(first.text);
  const differs = (difference: Difference) => {
    const second = secondOf(first.text, undefined, difference);
    return 'text' in second && saidBy(second.text) !== said;
  };
  const offered = OFFERED[kind];
  return offered.find(differs) ?? offered[0]!;
}

/** What a text says, however it is written. */
function saidBy(text: string): string {
  return JSON.stringify(parseDocument(text, { logLevel: 'silent' }).toJSON());
}

const OFFERED: Readonly<Record<Exclude<Difference['kind'], 'text' | 'seed'>, readonly Difference[]>> = {
  setting: ['5000', '10000'].map((value) => ({ kind: 'setting', name: 'settings.electionTimeoutMillis', value })),
  version: ['7.0', '8.0'].map((version) => ({ kind: 'version', version })),
  writeConcern: ['1', 'majority'].map((w) => ({ kind: 'writeConcern', w })),
};

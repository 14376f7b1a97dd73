import type { Trial, TrialInput } from '@replsim/explore';
import type { Io } from '../io.ts';
import { counted } from '../playing/longWork.ts';

/** Who plays the runs of an exploration. */
export interface TrialPlayer {
  readonly atOnce: number;
  readonly play: (input: TrialInput) => Promise<Trial>;
  readonly end: () => void;
}

export async function playerFor({ jobs }: { readonly jobs?: number }, io: Io): Promise<TrialPlayer> {
  const { processes } = io;
  const atOnce = jobs ?? processes?.atOnce ?? 1;
  if (processes === undefined || atOnce <= 1) {
    const { tryOut } = await import('@replsim/explore');
    return { atOnce: 1, play: counted(tryOut), end: () => {} };
  }
  const { Crew } = await import('../playing/crew.ts');
  const crew = new Crew({ ...processes, atOnce });
  return { atOnce, play: (input) => crew.try(input, io), end: () => crew.end() };
}

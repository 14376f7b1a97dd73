import type { Io } from '../io.ts';

/** Why there are fewer runs than were asked for. */
export type CutShort = 'interrupted' | 'timeUp' | 'missing';

/** The end of a long command before it is done. */
export interface End {
  readonly isOver: () => boolean;
  /** Why it is over; undefined while it is not. */
  readonly why: () => Exclude<CutShort, 'missing'> | undefined;
}

/** Whether a long command is to end: its time is up, or somebody has asked for it. @param time µs */
export function endOf(time: number | undefined, io: Pick<Io, 'onInterrupt'>): End {
  const began = performance.now();
  let isAsked = false;
  io.onInterrupt?.(() => {
    isAsked = true;
  });
  const isTimeUp = () => time !== undefined && (performance.now() - began) * 1000 >= time;
  const why = () => {
    if (isAsked) return 'interrupted';
    return isTimeUp() ? 'timeUp' : undefined;
  };
  return { isOver: () => why() !== undefined, why };
}

const CUTS: Readonly<Record<CutShort, (runs: string) => string>> = {
  interrupted: (runs) => `interrupted after ${runs}`,
  timeUp: (runs) => `time is up after ${runs}`,
  missing: (runs) => `only ${runs}`,
};

/** Such as "interrupted after 12 of 1000 runs". @param of how many there were to be, if somebody has said it */
export function cutText(why: CutShort, runs: number, of: number | undefined): string {
  const all = of === undefined || of <= runs ? '' : ` of ${of}`;
  return CUTS[why](`${runs}${all} ${runs === 1 && all === '' ? 'run' : 'runs'}`);
}

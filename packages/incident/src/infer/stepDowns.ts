import { type Deed, ofKind, placeOf, type Track } from './timeline.ts';

/** A step-down that somebody asked for. Unit: ms of the scenario. */
export interface StepDown {
  readonly host: string;
  readonly askedMs: number;
  /** When it was no primary any more; undefined where it stayed one. */
  readonly doneMs: number | undefined;
  readonly place: string;
}

/** Nobody waits for longer until others have caught up. Unit: ms. */
const LONGEST_MS = 120_000;
/** So long a member takes for it. Unit: ms. */
const TAKES_MS = 4;
/** What a shell asks for if nobody says more. Unit: s. */
const DEFAULT_SECS = 60;

/** Commands to step down, and what came of them: a primary waits until others have caught up, and gives up if they do not. */
export function readStepDowns(tracks: readonly Track[]): readonly StepDown[] {
  return ofKind(tracks, 'stepDownAsked').map(({ host, atMs, seen }) => {
    const after = (tracks.find((track) => track.host === host)?.facts ?? []).filter(
      (fact) => fact.seen.line > seen.line || fact.atMs > atMs,
    );
    const next = after.find(
      (fact) => fact.kind === 'stepDownAsked' || (fact.kind === 'state' && fact.from === 'PRIMARY'),
    );
    const isDone = next?.kind === 'state' && next.atMs - atMs < LONGEST_MS && completes(after, next.atMs);
    return { host, askedMs: atMs, doneMs: isDone ? next.atMs : undefined, place: placeOf(seen) };
  });
}

/** Whether the command says so itself, rather than somebody else having deposed the primary. A log may end before. */
function completes(after: Track['facts'], doneMs: number): boolean {
  return after.some(({ kind, atMs }) => kind === 'stepDownDone' && atMs >= doneMs) || after.at(-1)?.atMs === doneMs;
}

/**
 * The step-downs that came about, when they did. Before, a primary waits, which changes nothing for anybody.
 * @param stoodAgainMs when a member next stood for election, if it ever did
 */
export function stepDownDeeds(
  tracks: readonly Track[],
  endMs: number,
  stoodAgainMs: (host: string, afterMs: number) => number | undefined,
  nameOf: (host: string) => string,
): readonly Deed[] {
  return readStepDowns(tracks).flatMap(({ host, doneMs, place }, i): Deed[] => {
    if (doneMs === undefined) return [];
    const awaySecs = Math.floor(((stoodAgainMs(host, doneMs) ?? endMs) - doneMs) / 1000);
    const stepDownSecs = Math.max(DEFAULT_SECS, awaySecs);
    return [
      {
        atMs: doneMs - TAKES_MS,
        what: {
          stepDown: { on: nameOf(host), ...(stepDownSecs > DEFAULT_SECS && { stepDownSecs }), as: `down${i + 1}` },
        },
        because: `a client asked for it: ${place}; for how long, the log does not say`,
      },
    ];
  });
}

/** Step-downs that came to nothing. */
export function refusedStepDowns(tracks: readonly Track[]): readonly string[] {
  return readStepDowns(tracks).flatMap(({ doneMs, place }) =>
    doneMs === undefined ? [`a step-down that did not come about is left out: ${place}`] : [],
  );
}

import type { Span } from './span.ts';

/** The corners of the line that maps virtual time to film: both grow strictly, and both begin at 0. */
export interface Pieces {
  readonly micros: readonly number[];
  readonly millis: readonly number[];
}

/** No stretch in which nothing is to be seen lasts longer. Unit: ms of film. */
export const LONGEST_IDLE_MS = 1000;
/** How much longer a stretch ten times as long lasts. Unit: ms of film. */
const IDLE_MS_PER_TENFOLD = 250;

/**
 * Lays spans out as film. Where several are under way, the one that wants the most decides, so each has at least its own time, and all
 * together have at most the sum.
 */
export function piecesOf(spans: readonly Span[], endMicros: number): Pieces {
  const micros = [0];
  const millis = [0];
  const go = (toMicros: number, ms: number) => {
    if (toMicros <= micros.at(-1)!) return;
    micros.push(toMicros);
    millis.push(millis.at(-1)! + ms);
  };
  const ordered = [...spans].sort((a, b) => a.fromMicros - b.fromMicros);
  const corners = [...new Set(spans.flatMap((span) => [span.fromMicros, span.toMicros]))].sort((a, b) => a - b);
  let begun = 0;
  let active: Span[] = [];
  for (const corner of [...corners, Number.POSITIVE_INFINITY]) {
    const from = micros.at(-1)!;
    const to = Math.min(corner, endMicros);
    go(to, active.length > 0 ? (to - from) * densest(active) : idleMs(to - from));
    if (corner >= endMicros) break;
    active = active.filter((span) => span.toMicros > corner);
    for (; begun < ordered.length && ordered[begun]!.fromMicros <= corner; begun++) active.push(ordered[begun]!);
  }
  return { micros, millis };
}

/** Unit: ms of film a µs. */
function densest(active: readonly Span[]): number {
  return Math.max(...active.map(({ filmMs, fromMicros, toMicros }) => filmMs / (toMicros - fromMicros)));
}

/** Unit: ms of film. */
function idleMs(micros: number): number {
  return Math.min(LONGEST_IDLE_MS, IDLE_MS_PER_TENFOLD * Math.log10(1 + micros / 1000));
}

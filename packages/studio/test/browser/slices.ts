import type { TraceEvent } from '@replsim/protocol';
import { traceLine } from '@replsim/scenario';
import type { Player, Slice } from '../../src/core/run/player.ts';

/** A trace as the files have it, in pieces that need not be kept. */
export interface Digests {
  /** SHA-256 over the lines of each slice, hex. */
  readonly ofSlices: readonly string[];
  readonly ok: boolean;
}

/** Plays a scenario, and makes digests of its trace. */
export async function digestsOf(player: Player, text: string): Promise<Digests> {
  const slices: Promise<string>[] = [];
  const played = await player.play(text, undefined, ({ events, begins }) => {
    if (begins) slices.length = 0;
    slices.push(digest(linesOf(events)));
  });
  return { ofSlices: await Promise.all(slices), ok: played?.kind === 'played' && played.ok };
}

/** The lines of one slice. @param number from 0 */
export async function sliceOf(player: Player, text: string, number: number): Promise<readonly string[]> {
  const slices: Slice['events'][] = [];
  await player.play(text, undefined, ({ events }) => void slices.push(events));
  return (slices[number] ?? []).map(lineOf);
}

function linesOf(events: Slice['events']): string {
  return events.map((event) => `${lineOf(event)}\n`).join('');
}

/** But for the ICU that orders strings: a browser does not say which it has, and orders what scenarios ask for like any other. */
function lineOf(event: TraceEvent): string {
  if (event.type !== 'runStarted') return traceLine(event);
  const { icu: _icu, ...rest } = event;
  return traceLine(rest);
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { type Deed, type Happened, placeOf, type Track } from './timeline.ts';

/** When a process did not run. Unit: ms of the scenario. */
export interface Absence {
  readonly host: string;
  readonly fromMs: number;
  /** Undefined where it is not started any more. */
  readonly toMs: number | undefined;
}

/** What comes of nobody listening at a port, other than of no answer. */
export const REFUSED = /refused|reset|closed|ended|End of file|ShutdownInProgress|is shutting down/i;

/**
 * Which processes ended and began, and how.
 * @param beginsMs when the first log begins: of a process that begins much later nobody knows how it ended before
 * @param isWhole whether the logs begin with the set, so that who begins later came later
 */
export function readLives(
  tracks: readonly Track[],
  nameOf: (host: string) => string,
): { readonly absences: readonly Absence[]; readonly deeds: readonly Deed[] } {
  const absences: Absence[] = [];
  const deeds: Deed[] = [];
  const endMs = Math.max(...tracks.map(({ lastMs }) => lastMs));
  for (const track of tracks) {
    const { host, lives } = track;
    const name = nameOf(host);
    for (const [i, life] of lives.entries()) {
      const next = lives[i + 1]?.started;
      const refused = firstRefusal(tracks, host, life.lastMs, next?.atMs ?? Number.POSITIVE_INFINITY);
      // A log that ends early may just have been copied early.
      if (next === undefined && life.shutdown === undefined && (refused === undefined || life.lastMs > endMs - 1000))
        continue;
      const fromMs = life.shutdown?.atMs ?? killedMs(life.lastMs, refused?.atMs, next?.atMs);
      absences.push({ host, fromMs, toMs: next?.atMs });
      deeds.push(
        life.shutdown === undefined
          ? {
              atMs: fromMs,
              what: { kill: name },
              because: deathBecause(placeOf(life.last), refused, next && placeOf(next.seen)),
            }
          : { atMs: fromMs, what: { shutdown: name }, because: `it shut down: ${placeOf(life.shutdown.seen)}` },
      );
      if (next !== undefined)
        deeds.push({
          atMs: next.atMs,
          what: startOf(track, name, next.atMs),
          because: `it began: ${placeOf(next.seen)}`,
        });
    }
  }
  return { absences, deeds };
}

/** It lived at its last line, and did not when the first was refused. */
function killedMs(lastMs: number, refusedMs: number | undefined, startedMs = Number.POSITIVE_INFINITY): number {
  return Math.min(refusedMs === undefined ? lastMs + 1 : Math.max(lastMs + 1, refusedMs - 20), startedMs - 1);
}

function deathBecause(last: string, refused: Happened | undefined, start: string | undefined): string {
  const by = refused === undefined ? '' : `; ${placeOf(refused.seen)} could not reach it any more`;
  return `its log breaks off without a shutdown: ${last}${by}${start === undefined ? '' : `, begins again: ${start}`}`;
}

function firstRefusal(tracks: readonly Track[], host: string, fromMs: number, toMs: number): Happened | undefined {
  return tracks
    .flatMap(({ facts }) => facts)
    .filter((fact) => fact.kind === 'unheard' && fact.from === host && REFUSED.test(fact.why))
    .filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
    .sort((a, b) => a.atMs - b.atMs)[0];
}

/** A member that copies the data anew right after its start had lost them. */
function startOf({ facts }: Track, name: string, atMs: number): Readonly<Record<string, unknown>> {
  const copies = facts.some((fact) => fact.kind === 'initialSync' && fact.atMs >= atMs && fact.atMs < atMs + 30_000);
  const restarted = facts.some(
    (fact) => fact.atMs >= atMs && fact.atMs < atMs + 30_000 && fact.kind === 'state' && fact.to === 'STARTUP2',
  );
  return { start: copies && restarted ? { member: name, wipe: true } : name };
}

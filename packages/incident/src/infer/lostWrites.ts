import type { Reign } from './leaders.ts';
import type { Absence } from './lives.ts';
import { type Deed, type Happened, ofKind, placeOf, type Track } from './timeline.ts';

/** What is written so long before its member dies is on its disk. Unit: ms. */
const FLUSHED_MS = 60;
/** From then on a process that began can be held. Unit: ms. */
const STARTED_MS = 150;
/** So long after a write those who follow have it. Unit: ms. */
const FETCHED_MS = 200;
/** How long a member may look for somebody to fetch from, and how long it takes until it has found one. Unit: ms. */
const LOOKED_MS = 60_000;
const FOUND_MS = 600;
const AT_ONCE_MS = 2000;
/** Others fetch nothing from so long before the write on. Unit: ms. */
const HELD_MS = 20;

/**
 * Writes that only a deposed primary had, without which nothing is rolled back. Nobody had fetched them: where the network was
 * whole then, fetching is held.
 */
export function lostWrites(
  tracks: readonly Track[],
  reigns: readonly Reign[],
  faults: readonly Deed[],
  absences: readonly Absence[],
  hosts: readonly string[],
  nameOf: (host: string) => string,
): { readonly writes: readonly Deed[]; readonly faults: readonly Deed[] } {
  const writes: Deed[] = [];
  const holds: Deed[] = [];
  const known = new Map<string, number>();
  for (const fact of ofKind(tracks, 'rolledBack')) {
    const wroteMs = fact.kind === 'rolledBack' ? known.get(`${fact.term} ${fact.lastMs}`) : undefined;
    if (wroteMs !== undefined) holds.push(...untilRollback(tracks, fact, wroteMs, faults, nameOf));
    // Several members may have undone what one primary wrote.
    if (fact.kind !== 'rolledBack' || wroteMs !== undefined) continue;
    const reign = reigns.find(({ term }) => term === fact.term);
    const writer = reign?.host ?? fact.host;
    const name = nameOf(writer);
    const because = `a write of this second was rolled back: ${placeOf(fact.seen)}; what it wrote is not known`;
    // A timestamp says the second; within it, the write came behind the break of the network, and before the end of the process.
    const broke = faults.findLast((each) => isBreak(each) && Math.abs(each.atMs - fact.lastMs - 500) < 1500);
    const died = absences.find((each) => each.host === writer && each.fromMs >= fact.lastMs);
    const wanted = Math.max(fact.lastMs + 500, (broke?.atMs ?? 0) + 100);
    const endMs = Math.min(died?.fromMs ?? Number.POSITIVE_INFINITY, reign?.endedMs ?? Number.POSITIVE_INFINITY);
    const atMs = Math.min(wanted, endMs - FLUSHED_MS);
    known.set(`${fact.term} ${fact.lastMs}`, atMs);
    writes.push({ atMs, what: { insert: insertOn(name, known.size) }, because });
    holds.push(...untilRollback(tracks, fact, atMs, faults, nameOf));
    const network = faults.findLast((each) => each.atMs <= atMs && (isBreak(each) || 'heal' in each.what));
    if (network !== undefined && isBreak(network)) continue;
    const next = reigns.find(({ wonMs }) => wonMs > atMs);
    const writableMs = next && writableAt(tracks, next);
    const releasedMs = Math.min(died?.fromMs ?? Number.POSITIVE_INFINITY, writableMs ?? atMs + 1000);
    if (next !== undefined && writableMs !== undefined && releasedMs === writableMs && writableMs - next.wonMs > 1000)
      writes.push(catchUpEnded(nameOf(next.host), writableMs));
    // Who is not there cannot be held, nor need it be.
    const on = hosts
      .filter((host) => host !== writer && !absences.some((each) => each.host === host && isWithin(atMs, each)))
      .map(nameOf);
    if (on.length === 0) continue;
    holds.push(
      {
        atMs: atMs - HELD_MS,
        what: { hold: { on, part: 'fetch' } },
        because: 'nobody had fetched what was rolled back later',
      },
      {
        atMs: releasedMs,
        what: { release: { on, part: 'fetch' } },
        because: 'the next primary accepts writes, or the writer is gone',
      },
    );
  }
  return { writes, faults: holds };
}

function isWithin(atMs: number, { fromMs, toMs }: Absence): boolean {
  return atMs >= fromMs - HELD_MS && atMs <= (toMs ?? Number.POSITIVE_INFINITY);
}

function writableAt(tracks: readonly Track[], { host, wonMs, endedMs }: Reign): number | undefined {
  return ofKind(tracks, 'writable').find(
    (fact) => fact.host === host && fact.atMs >= wonMs && fact.atMs <= (endedMs ?? Number.POSITIVE_INFINITY),
  )?.atMs;
}

function catchUpEnded(name: string, atMs: number): Deed {
  return {
    atMs: atMs - 1,
    what: { run: { on: name, db: 'admin', command: { replSetAbortPrimaryCatchUp: 1 }, as: `caughtUp${name}` } },
    because: 'until then it tried to catch up',
  };
}

/** When a member rolls back depends on when it finds whom to fetch from, which no log says; so it does not look for anybody before. */
function untilRollback(
  tracks: readonly Track[],
  { host, atMs }: Happened,
  wroteMs: number,
  faults: readonly Deed[],
  nameOf: (host: string) => string,
): readonly Deed[] {
  const { facts = [], lives = [] } = tracks.find((track) => track.host === host) ?? {};
  const began = facts.findLast((fact) => fact.kind === 'state' && fact.to === 'ROLLBACK' && fact.atMs <= atMs);
  if (began === undefined) return [];
  const started = lives.findLast((life) => (life.started?.atMs ?? Infinity) < began.atMs)?.started?.atMs ?? 0;
  const healedMs = faults.findLast(({ what, atMs: at }) => 'heal' in what && at < began.atMs)?.atMs ?? 0;
  const fromMs = Math.max(started + STARTED_MS, wroteMs + FETCHED_MS, healedMs - 1, began.atMs - LOOKED_MS);
  const toMs = began.atMs - FOUND_MS;
  // Soon after it can, it does so by itself.
  if (toMs - fromMs < AT_ONCE_MS) return [];
  const what = { on: nameOf(host), part: 'fetch' };
  return [
    { atMs: fromMs, what: { hold: what }, because: `it rolled back only later: ${placeOf(began.seen)}` },
    { atMs: toMs, what: { release: what }, because: 'now it finds out that it has to roll back' },
  ];
}

function isBreak({ what }: Deed): boolean {
  return 'partition' in what || 'cut' in what;
}

function insertOn(name: string, number: number): Readonly<Record<string, unknown>> {
  return {
    into: 'incident.undone',
    documents: [{ _id: number }],
    on: name,
    writeConcern: { w: 1 },
    as: `undone${number}`,
  };
}

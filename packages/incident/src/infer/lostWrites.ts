import { ofKind, type Reign } from './leaders.ts';
import { type Deed, placeOf, type Track } from './timeline.ts';

/** What is written so long before its member dies is on its disk. Unit: ms. */
const FLUSHED_MS = 60;
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
  hosts: readonly string[],
  nameOf: (host: string) => string,
): { readonly writes: readonly Deed[]; readonly faults: readonly Deed[] } {
  const writes: Deed[] = [];
  const holds: Deed[] = [];
  const known = new Set<string>();
  for (const fact of ofKind(tracks, 'rolledBack')) {
    // Several members may have undone what one primary wrote.
    if (fact.kind !== 'rolledBack' || known.has(`${fact.term} ${fact.lastMs}`)) continue;
    known.add(`${fact.term} ${fact.lastMs}`);
    const writer = reigns.find(({ term }) => term === fact.term)?.host ?? fact.host;
    const name = nameOf(writer);
    const because = `a write of this second was rolled back: ${placeOf(fact.seen)}; what it wrote is not known`;
    // A timestamp says the second; within it, the write came behind the break of the network, and before the end of the process.
    const broke = faults.findLast((each) => isBreak(each) && Math.abs(each.atMs - fact.lastMs - 500) < 1500);
    const died = faults.find(({ what, atMs }) => (what.kill === name || what.shutdown === name) && atMs >= fact.lastMs);
    const wanted = Math.max(fact.lastMs + 500, (broke?.atMs ?? 0) + 100);
    const atMs = Math.min(wanted, (died?.atMs ?? Number.POSITIVE_INFINITY) - FLUSHED_MS);
    writes.push({ atMs, what: { insert: insertOn(name, known.size) }, because });
    const network = faults.findLast((each) => each.atMs <= atMs && (isBreak(each) || 'heal' in each.what));
    if (network !== undefined && isBreak(network)) continue;
    const others = hosts.filter((host) => host !== writer).map(nameOf);
    const next = reigns.find(({ wonMs }) => wonMs > atMs)?.standsMs ?? atMs + 1000;
    const releasedMs = Math.min(died?.atMs ?? Number.POSITIVE_INFINITY, next - 1);
    holds.push(
      {
        atMs: atMs - HELD_MS,
        what: { hold: { on: others, part: 'fetch' } },
        because: 'nobody had fetched what was rolled back later',
      },
      { atMs: releasedMs, what: { release: { on: others, part: 'fetch' } }, because: 'the writer is gone' },
    );
  }
  return { writes, faults: holds };
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

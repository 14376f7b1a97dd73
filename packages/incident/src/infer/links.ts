import { type Absence, REFUSED } from './lives.ts';
import { type Deed, type Happened, placeOf, type Track } from './timeline.ts';

/** Two members that did not hear each other. Unit: ms of the scenario. */
interface Gap {
  readonly pair: readonly [string, string];
  readonly fromMs: number;
  readonly toMs: number | undefined;
  readonly because: readonly Happened[];
}

export interface Timeouts {
  readonly electionTimeoutMillis: number;
  readonly heartbeatTimeoutSecs: number;
}

/** What begins or ends within this was one event. Unit: ms. */
const TOGETHER_MS = 2500;
/** How long after a start members may still be told that the other is down. Unit: ms. */
const JUST_STARTED_MS = 12_000;
/** Within this a member that starts hears from every other that it can reach. Unit: ms. */
const STARTED_MS = 4000;
/** What was under way when the network broke. Unit: ms. */
const UNDER_WAY_MS = 10;
/** More evidence nobody looks up. */
const PLACES_SHOWN = 3;

/** Where the network was broken, and when a process stood still. */
export function readLinks(
  tracks: readonly Track[],
  absences: readonly Absence[],
  timeouts: Timeouts,
  nameOf: (host: string) => string,
  hosts: readonly string[],
): readonly Deed[] {
  const gaps = gapsBetween(tracks, absences, timeouts);
  for (const gap of gapsFromTheStart(tracks, absences, hosts)) add(gaps, gap);
  const paused = pausesIn(gaps, tracks);
  const inNetwork = together(
    gaps.filter(({ pair }) => !paused.some(({ host }) => pair.includes(host))),
    Math.max(...tracks.map(({ lastMs }) => lastMs)),
  );
  return [
    ...paused.flatMap(({ host, gap }): Deed[] => [
      {
        atMs: gap.fromMs,
        what: { pause: nameOf(host) },
        because: `nobody heard it, and it wrote no line: ${evidence(gap)}`,
      },
      ...(gap.toMs === undefined
        ? []
        : [{ atMs: gap.toMs, what: { resume: nameOf(host) }, because: 'it was heard again' }]),
    ]),
    ...networkDeeds(inNetwork, hosts, nameOf),
  ];
}

function gapsBetween(tracks: readonly Track[], absences: readonly Absence[], timeouts: Timeouts): Gap[] {
  const gaps: Gap[] = [];
  for (const { host, facts } of tracks) {
    for (const [i, fact] of facts.entries()) {
      if (fact.kind !== 'unheard' || !fact.down || REFUSED.test(fact.why)) continue;
      if (isExplained(fact.from, fact.atMs, absences) || isExplained(host, fact.atMs, absences)) continue;
      const lastHeard = facts.slice(0, i).findLast((each) => isFrom(each, fact.from));
      const again = facts.slice(i).find((each) => isFrom(each, fact.from));
      const fromMs = Math.max(fact.atMs - waitedMs(fact.why, timeouts), (lastHeard?.atMs ?? 0) + 1);
      add(gaps, { pair: [host, fact.from].sort() as [string, string], fromMs, toMs: again?.atMs, because: [fact] });
    }
  }
  return gaps;
}

/** A member that starts while the network is broken hears some of the others at once, and some only later. */
function gapsFromTheStart(tracks: readonly Track[], absences: readonly Absence[], hosts: readonly string[]): Gap[] {
  return tracks.flatMap(({ host, facts, lives }) =>
    lives.slice(1).flatMap(({ started }): Gap[] => {
      if (started === undefined) return [];
      const from = (other: string) => firstContact(tracks, facts, host, other, started.atMs);
      const others = hosts.filter((other) => other !== host && !isAwayThen(other, started.atMs, absences));
      const isEarly = (other: string) => (from(other) ?? Infinity) < started.atMs + STARTED_MS;
      // Who hears nobody may be slow, or alone; then the others say more.
      if (!others.some(isEarly)) return [];
      return others
        .filter((other) => !isEarly(other))
        .map((other): Gap => {
          const because = facts.filter(({ atMs }) => atMs >= started.atMs).slice(0, 1);
          return {
            pair: [host, other].sort() as [string, string],
            fromMs: started.atMs - 1,
            toMs: from(other),
            because,
          };
        });
    }),
  );
}

/** When one of the two first heard from the other. */
function firstContact(
  tracks: readonly Track[],
  facts: readonly Happened[],
  host: string,
  other: string,
  fromMs: number,
): number | undefined {
  const own = facts.find((fact) => fact.atMs >= fromMs && isFrom(fact, other));
  const its = tracks
    .find((track) => track.host === other)
    ?.facts.find((fact) => fact.atMs >= fromMs && isFrom(fact, host));
  const first = Math.min(own?.atMs ?? Infinity, its?.atMs ?? Infinity);
  return first === Infinity ? undefined : first;
}

function isAwayThen(host: string, atMs: number, absences: readonly Absence[]): boolean {
  return absences.some(
    (each) => each.host === host && atMs >= each.fromMs && atMs <= (each.toMs ?? Infinity) + STARTED_MS,
  );
}

/** Both sides notice the same gap, each in its time. */
function add(gaps: Gap[], gap: Gap): void {
  const at = gaps.findIndex(
    (each) =>
      each.pair.join() === gap.pair.join() &&
      each.fromMs <= (gap.toMs ?? Infinity) &&
      gap.fromMs <= (each.toMs ?? Infinity),
  );
  const known = gaps[at];
  if (known === undefined) gaps.push(gap);
  else
    gaps[at] = {
      pair: gap.pair,
      fromMs: Math.min(known.fromMs, gap.fromMs),
      toMs:
        Math.min(known.toMs ?? Infinity, gap.toMs ?? Infinity) === Infinity
          ? undefined
          : Math.min(known.toMs ?? Infinity, gap.toMs ?? Infinity),
      because: [...known.because, ...gap.because],
    };
}

/** How long ago the silence began when a member says so. */
function waitedMs(why: string, { electionTimeoutMillis, heartbeatTimeoutSecs }: Timeouts): number {
  if (/election timeout/i.test(why)) return electionTimeoutMillis - UNDER_WAY_MS;
  if (/timed? ?out|ExceededTimeLimit|time limit/i.test(why)) return heartbeatTimeoutSecs * 1000 - UNDER_WAY_MS;
  return 500;
}

function isFrom(fact: Happened, host: string): boolean {
  return (
    (fact.kind === 'heard' && fact.from === host && fact.state !== 'DOWN') ||
    (fact.kind === 'answered' && fact.from === host)
  );
}

function isExplained(host: string, atMs: number, absences: readonly Absence[]): boolean {
  return absences.some(
    (each) => each.host === host && atMs >= each.fromMs && atMs <= (each.toMs ?? Infinity) + JUST_STARTED_MS,
  );
}

/** Processes that nobody heard while they wrote nothing themselves: stopped, and not cut off. */
function pausesIn(gaps: readonly Gap[], tracks: readonly Track[]): readonly { host: string; gap: Gap }[] {
  return tracks.flatMap(({ host, silences }) => {
    const own = gaps.filter(({ pair }) => pair.includes(host));
    const all =
      own.length > 0 &&
      own.length === tracks.length - 1 &&
      own.every(({ because }) => because.every((each) => each.host !== host));
    const [gap] = own;
    if (!all || gap === undefined) return [];
    const isSilent = silences.some(([from, to]) => from <= gap.fromMs + 2000 && to >= (gap.toMs ?? Infinity) - 2000);
    const fromMs = Math.min(...own.map((each) => each.fromMs));
    return isSilent ? [{ host, gap: { ...gap, fromMs } }] : [];
  });
}

/** What began or ended at nearly the same time did so at once. */
function together(gaps: readonly Gap[], lastMs: number): readonly Gap[] {
  const snap = (times: readonly number[]) => {
    const sorted = [...times].sort((a, b) => a - b);
    let start = Number.NEGATIVE_INFINITY;
    const firsts = new Map<number, number>();
    for (const time of sorted) {
      if (time - start > TOGETHER_MS) start = time;
      firsts.set(time, start);
    }
    return firsts;
  };
  const endOf = (gap: Gap): number | undefined => {
    const begun = begins.get(gap.fromMs)!;
    if (gap.toMs !== undefined) return Math.max(ends.get(gap.toMs)!, begun + 1);
    // The log ends before they could hear each other again, while others that were cut off with them did.
    const others = gaps.filter((each) => begins.get(each.fromMs) === begun).flatMap(({ toMs }) => toMs ?? []);
    const last = Math.max(...others.map((toMs) => ends.get(toMs)!));
    return others.length > 0 && lastMs - last < STARTED_MS ? Math.max(last, begun + 1) : undefined;
  };
  const begins = snap(gaps.map(({ fromMs }) => fromMs));
  const ends = snap(gaps.flatMap(({ toMs }) => toMs ?? []));
  return gaps.map((gap) => ({
    ...gap,
    fromMs: begins.get(gap.fromMs)!,
    toMs: endOf(gap),
  }));
}

/** The state of the network after each change, as faults. */
function networkDeeds(gaps: readonly Gap[], hosts: readonly string[], nameOf: (host: string) => string): Deed[] {
  const times = [...new Set(gaps.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [fromMs] : [fromMs, toMs])))];
  let before: readonly Gap[] = [];
  return times
    .sort((a, b) => a - b)
    .flatMap((atMs) => {
      const open = gaps.filter(({ fromMs, toMs }) => fromMs <= atMs && atMs < (toMs ?? Infinity));
      const begun = open.filter((gap) => !before.includes(gap));
      const ended = before.filter((gap) => !open.includes(gap));
      before = open;
      const heal: Deed[] =
        ended.length === 0 ? [] : [{ atMs, what: { heal: 'all' }, because: 'they heard each other again' }];
      if (open.length === 0) return heal;
      const because = evidenceOf(begun.length > 0 ? begun : open);
      const sides = sidesOf(open, hosts);
      if (sides !== undefined)
        return [...heal, { atMs, what: { partition: sides.map((side) => side.map(nameOf)) }, because }];
      const cuts = ended.length > 0 ? open : begun;
      return [
        ...heal,
        ...cuts.flatMap(({ pair: [a, b] }) =>
          [
            [a, b],
            [b, a],
          ].map(([from, to]): Deed => ({ atMs, what: { cut: { from: nameOf(from!), to: nameOf(to!) } }, because })),
        ),
      ];
    });
}

function evidence(gap: Gap): string {
  return evidenceOf([gap]);
}

function evidenceOf(gaps: readonly Gap[]): string {
  const places = gaps.flatMap(({ because }) => because.map(({ seen }) => placeOf(seen)));
  const more = places.length > PLACES_SHOWN ? ` and ${places.length - PLACES_SHOWN} more` : '';
  return `they did not hear each other: ${places.slice(0, PLACES_SHOWN).join(', ')}${more}`;
}

/** The sides of the network, if nothing but sides is cut off from each other. */
function sidesOf(open: readonly Gap[], hosts: readonly string[]): readonly (readonly string[])[] | undefined {
  const isCut = (a: string, b: string) => open.some(({ pair }) => pair.includes(a) && pair.includes(b));
  const sides: string[][] = [];
  for (const host of hosts) {
    const side = sides.find((each) => each.some((other) => !isCut(host, other)));
    if (side === undefined) sides.push([host]);
    else side.push(host);
  }
  const isWhole = sides.every((side, i) =>
    side.every(
      (a) =>
        side.every((b) => a === b || !isCut(a, b)) &&
        sides.every((other, j) => i === j || other.every((b) => isCut(a, b))),
    ),
  );
  return isWhole && sides.length > 1 ? sides : undefined;
}

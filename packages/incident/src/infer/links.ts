import { contentOf } from './configs.ts';
import { type Absence, REFUSED } from './lives.ts';
import { type Deed, type Happened, ofKind, placeOf, type Track } from './timeline.ts';

/** Two members that did not hear each other. Unit: ms of the scenario. */
interface Gap {
  readonly pair: readonly [string, string];
  readonly fromMs: number;
  readonly toMs: number | undefined;
  readonly because: readonly Happened[];
  /** Until then messages are known to have been lost. */
  readonly brokenMs: number;
  /** Who was not heard, but heard the other: only its messages were lost. */
  readonly unheard?: string | undefined;
}

export interface Timeouts {
  readonly electionTimeoutMillis: number;
  readonly heartbeatTimeoutSecs: number;
}

/** What begins or ends within this was one event. Unit: ms. */
const TOGETHER_MS = 2500;
/** How long before a member notices it the network is taken to be whole again: a message has to be sent first. Unit: ms. */
const NOTICED_MS = 300;
/** How long a member may still wait for an answer to something that it sent just before the network was whole again. Unit: ms. */
const WAITS_MS = 13_000;
/** How long after a start members may still be told that the other is down. Unit: ms. */
const JUST_STARTED_MS = 12_000;
/** Within this a member that starts hears from every other that it can reach. Unit: ms. */
const STARTED_MS = 4000;
/** So long a primary may take to notice that it has no majority. Unit: ms. */
const UNNOTICED_MS = 2500;
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
  const proven = gaps.map((gap) => ({ ...gap, brokenMs: brokenUntil(gap, tracks, timeouts) }));
  const { paused, mute } = alonesIn(proven, tracks);
  const inNetwork = together(
    proven.filter(({ pair }) => ![...paused, ...mute].some(({ host }) => pair.includes(host))),
    [...ofKind(tracks, 'wins'), ...ofKind(tracks, 'writable')].map(({ atMs }) => atMs).sort((a, b) => a - b),
  ).map((gap) => ({ ...gap, unheard: unheardPrimary(gap, proven, tracks, timeouts, hosts) }));
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
    ...mute.flatMap(({ host, gap }): Deed[] => [
      {
        atMs: gap.fromMs,
        what: { hold: { on: nameOf(host), part: 'heartbeats' } },
        because: `nobody had heartbeats of it, while it missed nobody: ${evidence(gap)}`,
      },
      ...(gap.toMs === undefined
        ? []
        : [
            {
              atMs: gap.toMs - NOTICED_MS,
              what: { release: { on: nameOf(host), part: 'heartbeats' } },
              because: 'it was heard again',
            },
          ]),
    ]),
    ...networkDeeds(inNetwork, hosts, nameOf),
  ];
}

/** When the last message that got no answer was sent. */
function brokenUntil({ pair, fromMs, toMs }: Gap, tracks: readonly Track[], timeouts: Timeouts): number {
  const lost = tracks
    .filter(({ host }) => pair.includes(host))
    .flatMap(({ host, facts }) =>
      facts.flatMap((fact) =>
        fact.kind === 'unheard' && fact.from !== host && pair.includes(fact.from) && !REFUSED.test(fact.why)
          ? [fact.atMs - waitedMs(fact.why, timeouts)]
          : [],
      ),
    );
  return Math.max(fromMs, ...lost.filter((atMs) => atMs < (toMs ?? Infinity)));
}

/**
 * A primary that goes on without a majority still hears the others: only what it sends is lost.
 * Upstream: TopologyCoordinator::checkMemberTimeouts, which steps it down otherwise.
 */
function unheardPrimary(
  { pair, fromMs, toMs }: Gap,
  gaps: readonly Gap[],
  tracks: readonly Track[],
  { electionTimeoutMillis }: Timeouts,
  hosts: readonly string[],
): string | undefined {
  const deadlineMs = fromMs + electionTimeoutMillis + UNNOTICED_MS;
  if ((toMs ?? Infinity) < deadlineMs) return undefined;
  return pair.find((host) => {
    const track = tracks.find((each) => each.host === host);
    const states = (track?.facts ?? []).filter((fact) => fact.kind === 'state' && fact.atMs <= deadlineMs);
    const isLeading = states.at(-1)?.kind === 'state' && (states.at(-1) as { to?: string }).to === 'PRIMARY';
    if (!isLeading || track === undefined || track.lastMs < deadlineMs || states.at(-1)!.atMs > fromMs) return false;
    const missed = gaps.filter(
      (gap) => gap.pair.includes(host) && gap.fromMs <= deadlineMs && deadlineMs <= (gap.toMs ?? Infinity),
    );
    return 2 * missed.length >= hosts.length;
  });
}

function gapsBetween(tracks: readonly Track[], absences: readonly Absence[], timeouts: Timeouts): Gap[] {
  const gaps: Gap[] = [];
  const firstAt = firstInstallers(tracks);
  for (const { host, facts } of tracks) {
    for (const [i, fact] of facts.entries()) {
      if (fact.kind !== 'unheard' || !fact.down || REFUSED.test(fact.why)) continue;
      if (isExplained(fact.from, fact.atMs, absences) || isExplained(host, fact.atMs, absences)) continue;
      const lastHeard = facts.slice(0, i).findLast((each) => isFrom(each, fact.from));
      const again = facts.slice(i).find((each) => isFrom(each, fact.from) || hasConfigOf(each, fact.from, firstAt));
      const fromMs = Math.max(fact.atMs - waitedMs(fact.why, timeouts), (lastHeard?.atMs ?? 0) + 1);
      add(gaps, {
        pair: [host, fact.from].sort() as [string, string],
        fromMs,
        toMs: again?.atMs,
        because: [fact],
        brokenMs: 0,
      });
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
            brokenMs: 0,
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
      brokenMs: 0,
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

/** Who had each config first; whoever has it later had it from there. */
function firstInstallers(tracks: readonly Track[]): ReadonlyMap<string, string> {
  const firstAt = new Map<string, string>();
  for (const fact of ofKind(tracks, 'config'))
    if (fact.kind === 'config' && !firstAt.has(keyOf(fact.config))) firstAt.set(keyOf(fact.config), fact.host);
  return firstAt;
}

function hasConfigOf(fact: Happened, host: string, firstAt: ReadonlyMap<string, string>): boolean {
  return fact.kind === 'config' && fact.host !== host && firstAt.get(keyOf(fact.config)) === host;
}

/** A new primary has the config anew, in its own term, without having heard of anybody. */
function keyOf(config: Readonly<Record<string, unknown>>): string {
  return `${config.version} ${config.term} ${contentOf(config)}`;
}

function isExplained(host: string, atMs: number, absences: readonly Absence[]): boolean {
  return absences.some(
    (each) => each.host === host && atMs >= each.fromMs && atMs <= (each.toMs ?? Infinity) + JUST_STARTED_MS,
  );
}

interface Alone {
  readonly host: string;
  readonly gap: Gap;
}

/** Processes that nobody heard, but that missed nobody: stopped if they wrote nothing, and otherwise only without heartbeats. */
function alonesIn(
  gaps: readonly Gap[],
  tracks: readonly Track[],
): { paused: readonly Alone[]; mute: readonly Alone[] } {
  const paused: Alone[] = [];
  const mute: Alone[] = [];
  for (const { host, silences } of tracks) {
    const own = gaps.filter(({ pair }) => pair.includes(host));
    const all =
      own.length > 0 &&
      own.length === tracks.length - 1 &&
      own.every(({ because }) => because.every((each) => each.host !== host));
    const [gap] = own;
    if (!all || gap === undefined) continue;
    const isSilent = silences.some(([from, to]) => from <= gap.fromMs + 2000 && to >= (gap.toMs ?? Infinity) - 2000);
    const alone = { host, gap: { ...gap, fromMs: Math.min(...own.map((each) => each.fromMs)) } };
    if (isSilent) paused.push(alone);
    else if ((gap.toMs ?? Infinity) - gap.fromMs > WAITS_MS) mute.push(alone);
  }
  return { paused, mute };
}

/** What began or ended at nearly the same time did so at once. */
function together(gaps: readonly Gap[], elected: readonly number[]): readonly Gap[] {
  const begins = new Map<number, number>();
  let start = Number.NEGATIVE_INFINITY;
  for (const { fromMs } of gaps.toSorted((a, b) => a.fromMs - b.fromMs)) {
    if (fromMs - start > TOGETHER_MS) start = fromMs;
    begins.set(fromMs, start);
  }
  // Where nothing more was lost, a link was whole when others were, even if that was noticed later, or the log ends before.
  const ends = gaps.flatMap(({ toMs }) => toMs ?? []).sort((a, b) => a - b);
  const endOf = ({ fromMs, toMs, brokenMs }: Gap): number | undefined => {
    const end = toMs ?? Infinity;
    const first = ends.find(
      (each) =>
        each > fromMs && each >= brokenMs && (end === Infinity ? wereCutWith(fromMs, each) : end - each < WAITS_MS),
    );
    return first ?? toMs;
  };
  const wereCutWith = (fromMs: number, toMs: number) =>
    gaps.some((each) => each.toMs === toMs && begins.get(each.fromMs) === begins.get(fromMs));
  return gaps.map((gap) => {
    const fromMs = begins.get(gap.fromMs)!;
    const endMs = endOf(gap);
    if (endMs === undefined) return { ...gap, fromMs, toMs: undefined };
    // Who is elected meanwhile is without what the others have to say.
    const electedMs = elected.findLast((atMs) => atMs < endMs) ?? 0;
    return {
      ...gap,
      fromMs,
      toMs: Math.max(Math.min(electedMs + 1, endMs), endMs - NOTICED_MS, gap.fromMs + 1, fromMs + 1),
    };
  });
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
      const sides = open.some(({ unheard }) => unheard !== undefined) ? undefined : sidesOf(open, hosts);
      if (sides !== undefined)
        return [...heal, { atMs, what: { partition: sides.map((side) => side.map(nameOf)) }, because }];
      const cuts = ended.length > 0 ? open : begun;
      return [
        ...heal,
        ...cuts.flatMap(({ pair: [a, b], unheard }) =>
          [
            { from: a, to: b },
            { from: b, to: a },
          ]
            .filter(({ from }) => unheard === undefined || from === unheard)
            .map(({ from, to }): Deed => ({ atMs, what: { cut: { from: nameOf(from), to: nameOf(to) } }, because })),
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

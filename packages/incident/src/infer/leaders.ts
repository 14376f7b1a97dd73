import type { Absence } from './lives.ts';
import { readStepDowns } from './stepDowns.ts';
import { type Deed, type Happened, placeOf, type Track } from './timeline.ts';

/** A member that leads. Unit: ms of the scenario. */
export interface Reign {
  readonly host: string;
  readonly term: number;
  readonly standsMs: number;
  readonly wonMs: number;
  /** When it was no primary any more, or its process ended. */
  readonly endedMs: number | undefined;
  /** Its predecessor handed over to it, which a member does by itself when it shuts down. */
  readonly handedOver: boolean;
  readonly because: string;
}

/** A primary that shuts down waits so long for a successor. Unit: ms. */
const HANDING_OVER_MS = 15_000;
/** How soon after stepping down a primary asks a successor to stand. Unit: ms. */
const ASKED_MS = 500;
/** How long before an election the other members are frozen. Their timers are random, and logs do not show those of the incident. Unit: ms. */
const HELD_BEFORE_MS = 4000;
/** The same before a primary steps down. Unit: ms. */
const ENDING_MS = 50;
/** If the old primary has not asked the successor by then, the scenario does. Unit: ms. */
const NOT_ASKED_MS = 20;
/** How long the other members stay frozen after an election, so that none takes over at once. Unit: s. */
const HELD_AFTER_SECS = 2;

/** The elections that somebody won, in the order of time. */
export function readReigns(tracks: readonly Track[], absences: readonly Absence[]): readonly Reign[] {
  return tracks
    .flatMap(({ host, facts }) =>
      facts.flatMap((fact, i): Reign[] => {
        if (fact.kind !== 'wins') return [];
        const before = facts.slice(0, i);
        const began = before.findLast((each) => each.kind === 'stands' || (each.kind === 'asks' && each.dryRun));
        const stands = began !== undefined && fact.atMs - began.atMs < 10_000 ? began : fact;
        const reason = before.findLast((each) => each.kind === 'stands' && fact.atMs - each.atMs < 10_000);
        const why = reason?.kind === 'stands' ? `, because ${reason.why}` : '';
        return [
          {
            host,
            term: fact.term,
            standsMs: stands.atMs,
            wonMs: fact.atMs,
            endedMs: endOf(fact, facts, absences),
            handedOver: reason?.kind === 'stands' && reason.isAsked && isLeft(tracks, host, stands.atMs),
            because: `${placeOf(fact.seen)}: it won term ${fact.term}${why}`,
          },
        ];
      }),
    )
    .sort((a, b) => a.wonMs - b.wonMs);
}

function endOf({ host, atMs }: Happened, facts: readonly Happened[], absences: readonly Absence[]): number | undefined {
  const stepped = facts.find((each) => each.kind === 'state' && each.from === 'PRIMARY' && each.atMs >= atMs)?.atMs;
  const died = absences.find((each) => each.host === host && each.fromMs >= atMs)?.fromMs;
  const first = Math.min(stepped ?? Number.POSITIVE_INFINITY, died ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(first) ? first : undefined;
}

/** Whether another member was shutting down or stepping down, and so handed over. */
function isLeft(tracks: readonly Track[], host: string, atMs: number): boolean {
  const others = tracks.filter((track) => track.host !== host);
  const isNear = (leftMs: number, withinMs: number) => leftMs <= atMs + 100 && leftMs > atMs - withinMs;
  return (
    others.some(({ lives }) => lives.some(({ shutdown }) => isNear(shutdown?.atMs ?? Infinity, HANDING_OVER_MS))) ||
    readStepDowns(others).some(({ doneMs }) => isNear(doneMs ?? Infinity, ASKED_MS))
  );
}

/**
 * Steps that make the members stand when they stood in the incident. Whoever stands first is a matter of chance, and so is the
 * instant; the logs say who it was.
 */
export function electionDeeds(
  reigns: readonly Reign[],
  hosts: readonly string[],
  absences: readonly Absence[],
  arbiters: ReadonlySet<string>,
  nameOf: (host: string) => string,
): readonly Deed[] {
  const label = labels();
  return reigns.flatMap(({ host, standsMs, wonMs, because, term, handedOver }, i) => {
    const before = reigns[i - 1];
    // Where nobody stood for long, nobody does so now, from when there was no primary.
    // Who steps down hands over at once, unless nobody may stand.
    const wantedMs = Math.min(standsMs - HELD_BEFORE_MS, (before?.endedMs ?? Number.POSITIVE_INFINITY) - ENDING_MS);
    const heldMs = Math.max(wantedMs, (before?.wonMs ?? 0) + 50, 1);
    const heldSecs = Math.ceil((standsMs - heldMs) / 1000) + HELD_AFTER_SECS;
    const held = hosts.filter(
      (each) =>
        !arbiters.has(each) &&
        !isAway(each, heldMs, absences) &&
        !(each === before?.host && heldMs < (before.endedMs ?? Number.POSITIVE_INFINITY)),
    );
    const next = reigns[i + 1];
    const isSoon = next?.handedOver === true && next.standsMs - standsMs < HANDING_OVER_MS;
    const others = held.filter((each) => each !== host && !(isSoon && each === next.host));
    const freeze = (on: string, seconds: number, atMs: number, told: string): Deed => ({
      atMs,
      what: { freeze: { on: nameOf(on), seconds, as: label('hold') } },
      because: told,
    });
    const holds =
      heldMs < standsMs
        ? (handedOver ? others : [...others, host]).map((each) =>
            freeze(each, heldSecs, heldMs, `nobody stands before ${nameOf(host)} does, in term ${term}`),
          )
        : [];
    // Its predecessor asks it to, and must know before that it may stand.
    if (handedOver) {
      const up = { stepUp: { on: nameOf(host), as: label('up') } };
      return [...holds, { atMs: wonMs + NOT_ASKED_MS, what: up, because: `${because}, by its predecessor` }];
    }
    return [
      ...holds,
      ...(holds.length > 0 ? [freeze(host, 0, standsMs, because)] : []),
      { atMs: standsMs, what: { stepUp: { on: nameOf(host), as: label('up') } }, because },
    ];
  });
}

function isAway(host: string, atMs: number, absences: readonly Absence[]): boolean {
  return absences.some(
    (each) => each.host === host && atMs >= each.fromMs && atMs < (each.toMs ?? Number.POSITIVE_INFINITY) + 100,
  );
}

/** Names for answers that nobody waits for: the command may be refused, as it may have been in the incident. */
function labels(): (word: string) => string {
  let count = 0;
  return (word) => {
    count += 1;
    return `${word}${count}`;
  };
}

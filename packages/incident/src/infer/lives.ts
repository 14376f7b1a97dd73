import type { Life } from '../logs/memberLog.ts';
import { type Deed, type Happened, placeOf, type Track } from './timeline.ts';

/** When processes did not run, and what ends and begins them. */
export interface Lives {
  readonly absences: readonly Absence[];
  readonly deeds: readonly Deed[];
  /** Commands, unlike the others. */
  readonly shutdowns: readonly Deed[];
}

/** When a process did not run. Unit: ms of the scenario. */
export interface Absence {
  readonly host: string;
  readonly fromMs: number;
  /** Undefined where it is not started any more. */
  readonly toMs: number | undefined;
}

/** So long after its predecessor's last line a process can begin at the earliest. Unit: ms. */
const ENDED_MS = 100;
/** A start that fails does so soon. Unit: ms. */
const FAILED_WITHIN_MS = 10_000;

/** So soon somebody is refused. Unit: ms. */
const REFUSED_AFTER_MS = 20;
/** So long after its start a member is heard. Unit: ms. */
const HEARD_AFTER_MS = 1000;

/** What comes of nobody listening at a port, other than of no answer. */
export const REFUSED = /refused|reset|closed|ended|End of file|ShutdownInProgress|is shutting down/i;

/**
 * Which processes ended and began, and how.
 * @param beginsMs when the first log begins: of a process that begins much later nobody knows how it ended before
 * @param isWhole whether the logs begin with the set, so that who begins later came later
 */
export function readLives(tracks: readonly Track[], nameOf: (host: string) => string): Lives {
  const absences: Absence[] = [];
  const deeds: Deed[] = [];
  const shutdowns: Deed[] = [];
  const endMs = Math.max(...tracks.map(({ lastMs }) => lastMs));
  for (const track of tracks) {
    const { host } = track;
    const lives = track.lives.filter(
      (life, i) => i === 0 || i === track.lives.length - 1 || !isFailedStart(life, track),
    );
    const name = nameOf(host);
    for (const [i, life] of lives.entries()) {
      const next = lives[i + 1]?.started;
      const refused = firstRefusal(tracks, host, life.lastMs, next?.atMs ?? Number.POSITIVE_INFINITY);
      // A log that ends early may just have been copied early.
      if (next === undefined && life.shutdown === undefined && (refused === undefined || life.lastMs > endMs - 1000))
        continue;
      const fromMs = life.shutdown?.atMs ?? killedMs(life.lastMs, refused?.atMs, next?.atMs);
      absences.push({ host, fromMs, toMs: next?.atMs });
      const shutdown = shutdownOf(life, name, next !== undefined);
      if (shutdown !== undefined) shutdowns.push({ ...shutdown, what: labelled(shutdown.what, shutdowns.length + 1) });
      else
        deeds.push({
          atMs: fromMs,
          what: { kill: name },
          because: deathBecause(placeOf(life.last), refused, next && placeOf(next.seen)),
        });
      if (next !== undefined)
        deeds.push({
          atMs: Math.max(next.atMs, shutdown === undefined ? 0 : life.lastMs + ENDED_MS),
          what: startOf(track, name, next.atMs, lives[i + 1]!.isStandalone),
          because: `it began: ${placeOf(next.seen)}`,
        });
    }
  }
  for (const absence of absencesSeenByOthers(tracks)) {
    const { host, fromMs, toMs, because } = absence;
    absences.push({ host, fromMs, toMs });
    deeds.push({ atMs: fromMs, what: { kill: nameOf(host) }, because: because.kill });
    if (toMs !== undefined) deeds.push({ atMs: toMs, what: { start: nameOf(host) }, because: because.start });
  }
  return { absences, deeds, shutdowns };
}

interface SeenAbsence extends Absence {
  readonly because: { readonly kill: string; readonly start: string };
}

/** Of members without a log: when others were refused, which only a process that is gone does, until they heard of it again. */
function absencesSeenByOthers(tracks: readonly Track[]): SeenAbsence[] {
  const facts = tracks.flatMap((track) => track.facts).sort((a, b) => a.atMs - b.atMs);
  const found = new Map<string, SeenAbsence>();
  const all: SeenAbsence[] = [];
  for (const fact of facts) {
    if (fact.kind !== 'unheard' || !fact.down || !REFUSED.test(fact.why)) continue;
    const { from: host, atMs } = fact;
    const known = found.get(host);
    const isKnown = known !== undefined && atMs < (known.toMs ?? Number.POSITIVE_INFINITY);
    if (isKnown || tracks.some((track) => track.host === host)) continue;
    const again = facts.find(
      (each) => each.kind === 'heard' && each.from === host && each.state !== 'DOWN' && each.atMs > atMs,
    );
    const fromMs = atMs - REFUSED_AFTER_MS;
    const absence = {
      host,
      fromMs,
      toMs: again && Math.max(fromMs + 1, again.atMs - HEARD_AFTER_MS),
      because: {
        kill: `it has no log, and ${placeOf(fact.seen)} was refused: ${fact.why}`,
        start: again ? `${placeOf(again.seen)} heard it again` : '',
      },
    };
    found.set(host, absence);
    all.push(absence);
  }
  return all;
}

/** A process that ends before it has found itself in a config, as in a loop of crashes, was never there for the others. */
function isFailedStart({ started, lastMs, shutdown }: Life, { facts }: Track): boolean {
  if (started === undefined || shutdown !== undefined || lastMs - started.atMs > FAILED_WITHIN_MS) return false;
  return !facts.some(({ atMs }) => atMs >= started.atMs && atMs <= lastMs);
}

/** A command that nobody waits for: a member may take long to end, and the fault `shutdown` waits for it. */
function shutdownOf({ shutdown, lastMs }: Life, name: string, beganAgain: boolean): Deed | undefined {
  if (shutdown === undefined) return undefined;
  const { atMs, timeoutMs, seen } = shutdown;
  // An operator may have killed it before the time limit had passed.
  const livedMs = beganAgain ? lastMs - atMs : Number.POSITIVE_INFINITY;
  const timeoutSecs = Math.floor(Math.min(timeoutMs, livedMs) / 1000);
  const command = { shutdown: 1, force: true, timeoutSecs };
  return { atMs, what: { run: { on: name, db: 'admin', command } }, because: `it shut down: ${placeOf(seen)}` };
}

function labelled({ run }: Deed['what'], number: number): Deed['what'] {
  return { run: { ...(run as object), as: `ended${number}` } };
}

/** It lived at its last line, and did not when the first was refused. */
function killedMs(lastMs: number, refusedMs: number | undefined, startedMs = Number.POSITIVE_INFINITY): number {
  return Math.min(
    refusedMs === undefined ? lastMs + 1 : Math.max(lastMs + 1, refusedMs - REFUSED_AFTER_MS),
    startedMs - 1,
  );
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
function startOf(
  { facts }: Track,
  name: string,
  atMs: number,
  isStandalone: boolean,
): Readonly<Record<string, unknown>> {
  if (isStandalone) return { start: { member: name, as: 'standalone' } };
  const copies = facts.some((fact) => fact.kind === 'initialSync' && fact.atMs >= atMs && fact.atMs < atMs + 30_000);
  const restarted = facts.some(
    (fact) => fact.atMs >= atMs && fact.atMs < atMs + 30_000 && fact.kind === 'state' && fact.to === 'STARTUP2',
  );
  return { start: copies && restarted ? { member: name, wipe: true } : name };
}

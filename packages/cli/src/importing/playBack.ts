import {
  type Comparison,
  type Course,
  compareCourses,
  courseOf,
  type Departure,
  type Incident,
  LogReader,
  type Turn,
  write,
} from '@replsim/incident';
import { formatLogLine, type TraceEvent } from '@replsim/protocol';
import { ReplSet, type ReplSetOptions } from '@replsim/replset';
import { parseScenario, playScenario, type Scenario } from '@replsim/scenario';
import type { Io } from '../io.ts';

/** What came of playing an incident's scenario: the run that is most like the logs, and how it differs from them. */
export interface PlayedBack {
  readonly seed: number;
  readonly tries: number;
  readonly comparison: Comparison;
  /** The check of the scenario that does not hold in this run. */
  readonly failure: string | undefined;
}

/**
 * Plays the scenario of an incident under one seed after the other, until its elections, step-downs and rollbacks are those of the logs: what a
 * seed decides, such as who rolls back first, no log says.
 * @returns undefined without logs to compare with
 */
export async function playBack(incident: Incident, tries: number, io: Io): Promise<PlayedBack | undefined> {
  const { course } = incident;
  if (course === undefined || tries === 0) return undefined;
  const scenario = parseScenario(write(incident), 'imported.yaml');
  let best: PlayedBack | undefined;
  for (let seed = 1; seed <= tries; seed++) {
    if (io.progress && seed > 1) io.err(`\rplayed under ${seed - 1} of ${tries} seeds `);
    const { course: run, failure } = await courseOfRun(scenario, seed);
    const played = { seed, tries: seed, comparison: compareCourses(course, run), failure };
    best = { ...(best === undefined || likeness(played) > likeness(best) ? played : best), tries: seed };
    if (isWhole(played)) break;
  }
  if (io.progress && best !== undefined && best.tries > 1) io.err(`\r${' '.repeat(40)}\r`);
  return best;
}

/** It goes as the logs show, and its checks hold: whoever plays the file sees no failure. */
export function isWhole({ comparison, failure }: PlayedBack): boolean {
  return comparison.departure === undefined && failure === undefined;
}

/** A run that shows more of the logs is more like them; of equal ones, one whose checks hold. */
function likeness({ comparison, failure }: PlayedBack): number {
  return 2 * comparison.shared + (comparison.departure === undefined ? 1 : 0) + (failure === undefined ? 0.5 : 0);
}

/** What the logs of a run show, as those of mongods would be read. */
async function courseOfRun(
  scenario: Scenario,
  seed: number,
): Promise<{ readonly course: Course; readonly failure: string | undefined }> {
  const readers = new Map<string, LogReader>();
  const onTrace = (event: TraceEvent): void => {
    if (event.type !== 'log') return;
    const reader = readers.get(event.member) ?? new LogReader(event.member);
    readers.set(event.member, reader);
    reader.line(formatLogLine(event.line, event.wallMs));
  };
  const create = (setup: ReplSetOptions) => ReplSet.create(setup);
  const { failure } = await playScenario(scenario, create, { seed, onTrace, playsOn: true });
  const logs = [...readers.values()].map((reader) => reader.end());
  return { course: courseOf(new Map(logs.map((log) => [log.host ?? log.file, log]))), failure: failure?.title };
}

/** What came of it, as a sentence. */
export function told(incident: Incident, { seed, tries, comparison, failure }: PlayedBack): string {
  const { shared, departure, apartMs, termsBelow } = comparison;
  if (departure !== undefined) return parted(incident, departure, tries);
  if (failure !== undefined)
    return `the run goes as the logs show, but a check of the scenario fails in it: ${failure}; ${tried(tries)}`;
  const under = seed === 1 ? 'played' : `played under seed ${seed}`;
  if (shared === 0) return `${under}: nobody is elected, steps down or rolls back, as in the logs`;
  const what =
    shared === 1 ? 'what the logs show' : `the ${shared} elections, step-downs and rollbacks that the logs show`;
  const terms =
    termsBelow === 0
      ? ''
      : `; terms are lower by up to ${termsBelow}, since elections that nobody won are not imported`;
  return `${under}: ${what}, within ${apartMs} ms${terms}`;
}

function parted(incident: Incident, { logs, run }: Departure, tries: number): string {
  const seconds = (ms: number) => `${((ms - (incident.time?.epochMs ?? 0)) / 1000).toFixed(3)}s`;
  const saw = (turn: Turn | undefined) =>
    turn === undefined ? 'nothing more' : `that ${turn.host} ${turn.what} at ${seconds(turn.atMs)}`;
  const place = logs === undefined ? '' : ` (${logs.seen.file}:${logs.seen.line})`;
  const first = Math.min(...[logs, run].flatMap((turn) => turn?.atMs ?? []));
  return `from ${seconds(first)} on, the scenario may differ from what happened: the logs show ${saw(logs)}${place}, the run shows ${saw(run)}; ${tried(tries)}`;
}

function tried(tries: number): string {
  return tries === 1 ? 'one seed was tried' : `of ${tries} seeds, none does better`;
}

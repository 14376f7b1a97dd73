import { formatLogLine, type LogLine, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { type Course, courseOf, type MemberLog, readLogs } from '../src/index.ts';

/** What a mongod says first when it appends to a log that is there. */
const RESTARTED: LogLine = { severity: 'I', component: 'CONTROL', id: 20698, ctx: 'main', msg: '', attr: {} };

/** Plays a scenario. @returns the lines of each member's log, as `--logs` writes them, and why the run failed, if it did */
export async function logLines(
  text: string,
  file: string,
  seed?: number,
): Promise<{ logs: Map<string, string[]>; failure: string | undefined }> {
  const logs = new Map<string, string[]>();
  const ended = new Set<string>();
  const onTrace = (event: TraceEvent): void => {
    if (event.type === 'processStopped') ended.add(event.member);
    if (event.type !== 'log') return;
    const lines = logs.get(event.member) ?? [];
    logs.set(event.member, lines);
    if (ended.delete(event.member)) lines.push(formatLogLine(RESTARTED, event.wallMs));
    lines.push(formatLogLine(event.line, event.wallMs));
  };
  const result = await playScenario(parseScenario(text, file), (setup) => ReplSet.create(setup), {
    onTrace,
    ...(seed !== undefined && { seed }),
  });
  const { failure } = result;
  return { logs, failure: failure && `${failure.text}: ${failure.asked}; got ${failure.got}` };
}

export function readAll(logs: ReadonlyMap<string, readonly string[]>): MemberLog[] {
  return [...logs].map(([member, lines]) => readLogs(lines, `${member}.log`));
}

/** What the logs of a run show; each says whose it is. */
export function courseIn(logs: ReadonlyMap<string, readonly string[]>): Course {
  return courseOf(new Map(readAll(logs).map((log) => [log.host ?? log.file, log])));
}

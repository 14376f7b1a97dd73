import { formatLogLine, type LogLine, type TraceEvent } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { parseScenario, playScenario } from '@replsim/scenario';
import { type MemberLog, readLogs } from '../src/index.ts';

/** What a mongod says first when it appends to a log that is there. */
const RESTARTED: LogLine = { severity: 'I', component: 'CONTROL', id: 20698, ctx: 'main', msg: '', attr: {} };

/** Plays a scenario. @returns the lines of each member's log, as `--logs` writes them, and why the run failed, if it did */
export async function logLines(
  text: string,
  file: string,
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
  const result = await playScenario(parseScenario(text, file), (setup) => ReplSet.create(setup), { onTrace });
  const { failure } = result;
  return { logs, failure: failure && `${failure.text}: ${failure.asked}; got ${failure.got}` };
}

export function readAll(logs: ReadonlyMap<string, readonly string[]>): MemberLog[] {
  return [...logs].map(([member, lines]) => readLogs(lines, `${member}.log`));
}

/** Who won elections and stopped being primary, in order; times by the members' clocks, ms. */
export function leadership(logs: readonly MemberLog[]): { atMs: number; what: string }[] {
  return logs
    .flatMap(({ host, facts }) =>
      facts.flatMap((fact) => {
        if (fact.kind === 'wins') return [{ atMs: fact.atMs, what: `${host} wins term ${fact.term}` }];
        if (fact.kind === 'rolledBack') return [{ atMs: fact.atMs, what: `${host} rolls back` }];
        return fact.kind === 'state' && fact.from === 'PRIMARY'
          ? [{ atMs: fact.atMs, what: `${host} is ${fact.to}` }]
          : [];
      }),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

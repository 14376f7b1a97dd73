import type { LostWrite, SetLedger } from './writeLedger.ts';

/** An account in words: one line of numbers, and one for each way in which acknowledged writes were lost. */
export function ledgerLines({ acknowledged, lost }: SetLedger): string[] {
  const count = lost.reduce((sum, { olderWrites = 0 }) => sum + 1 + olderWrites, 0);
  const which = count === 0 ? 'none of them lost' : `${count} of them lost`;
  const groups = new Map<string, LostWrite[]>();
  for (const write of lost) {
    const { command, ns, member, writeConcern, lostBy, keptBy } = write;
    const key = JSON.stringify([command, ns, member, writeConcern, lostBy, keptBy]);
    const group = groups.get(key);
    if (group) group.push(write);
    else groups.set(key, [write]);
  }
  return [`acknowledged writes: ${acknowledged}, ${which}`, ...[...groups.values()].map(lossLine)];
}

function lossLine(writes: readonly LostWrite[]): string {
  const [first] = writes as readonly [LostWrite];
  const { command, ns, member, writeConcern, lostBy, keptBy } = first;
  const last = writes.at(-1) ?? first;
  const count = writes.reduce((sum, { olderWrites = 0 }) => sum + 1 + olderWrites, 0);
  const older = writes.some(({ olderWrites }) => olderWrites !== undefined);
  const them = count === 1 ? 'it' : 'them';
  const when = count === 1 ? `at ${timeOf(first.at)}` : `from ${timeOf(first.at)} to ${timeOf(last.at)}`;
  const what = `${older ? 'up to ' : ''}${count} × ${command} ${ns}, acknowledged by ${member} with ${writeConcern} ${when}`;
  const election = `${lostBy.primary}, elected in term ${lostBy.term} at ${timeOf(lostBy.at)}, did not have ${them}`;
  return `lost: ${what}; ${election}${forceText(lostBy.forced)}; ${keptBy} would have kept ${them}`;
}

function forceText(forced: LostWrite['lostBy']['forced']): string {
  if (!forced) return '';
  const { member, version, at, without } = forced;
  return `, under config version ${version}, which ${member} installed by force at ${timeOf(at)}, without ${without.join(', ')}`;
}

/** On the set's clock, as members' logs and documents have it. */
function timeOf(date: Date): string {
  return date.toISOString();
}

import type { MemberParts } from './mongod.ts';

/** Whom each timer wakes, by its key; those that there are many of, as `hb:ID`, are not among them. */
export function timersOf(member: MemberParts, remindOfFsyncLock: () => void): ReadonlyMap<string, () => void> {
  return new Map<string, () => void>([
    ['journal', () => member.journal.onTimer()],
    ['checkpoint', () => member.checkpoints.onTimer()],
    ['fsyncLock', remindOfFsyncLock],
    ['ttl', () => member.ttl.onTimer()],
    ['election', () => member.repl?.elections.timer.onTimer()],
    ['votes', () => member.repl?.elections.onVotesTimer()],
    ['takeover', () => member.repl?.elections.takeover.onTimer()],
    ['catchUp', () => member.repl?.elections.catchUp.onTimer()],
    ['liveness', () => member.repl?.liveness.onTimer()],
    ['fetch', () => member.repl?.replicator.fetching.onTimer()],
    ['write', () => member.repl?.replicator.writer.onTimer()],
    ['apply', () => member.repl?.replicator.applier.onTimer()],
    ['progress', () => member.repl?.progress.onKeepAlive()],
    ['noop', () => member.repl?.noopWriter.onTimer()],
    ['stepDownUntil', () => void member.repl?.elections.stand('singleNodePromptElection')],
  ]);
}

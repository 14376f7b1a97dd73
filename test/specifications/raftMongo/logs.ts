import { EMPTY_LOG, type Entry, holds, isOfNoTerm, showEntry } from './entries.ts';
import { cut, hasHeld, isCommitPointLess } from './members.ts';
import { must, type Of, type Run } from './run.ts';

// ClientWrite, AppendOplog, RollbackOplog, and what makes a log shorter beside it.

export function wrote(run: Run, { member, entries }: Of<'oplogWritten'>): void {
  const me = run.member(member);
  for (const { opTime } of entries) {
    if (isOfNoTerm(opTime)) {
      run.count('outside: entryOfNoTerm');
      continue;
    }
    must(me.state === 'Leader', 'ClientWrite: it does not lead');
    must(opTime.t === me.currentTerm, `ClientWrite: an entry of t${opTime.t} in its t${me.currentTerm}`);
    must(run.entries.find(opTime) === undefined, `ClientWrite: an entry that was written before`);
    me.log = run.entries.write(opTime, me.log);
    run.count('ClientWrite');
  }
}

export function appended(run: Run, { member, entries, source }: Of<'oplogWritten'>): void {
  const me = run.member(member);
  let log = me.log;
  for (const { opTime } of entries) {
    if (isOfNoTerm(opTime)) continue;
    const entry = run.entries.find(opTime);
    must(entry !== undefined, `AppendOplog: an entry of t${opTime.t} that nobody wrote`);
    // A copy of the data stands for all entries before the first that an initial sync fetches.
    const isCopied = me.copying && log === EMPTY_LOG;
    must(
      isCopied || entry.before === log,
      `AppendOplog: ${showEntry(entry)} follows ${showEntry(entry.before)}, not ${showEntry(log)}`,
    );
    log = entry;
  }
  if (log === me.log) return;
  const teller = run.teller(me, source);
  const now = holds(teller.log, log);
  must(now || hasHeld(teller, log), `AppendOplog: ${teller.name} has not had ${showEntry(log)}`);
  // Who has written as primary has an entry that nobody's follows, so this can only be the catch-up.
  if (me.state === 'Leader') run.count('outside: catchUp');
  else run.count(now ? 'AppendOplog' : 'AppendOplog, delayed');
  me.log = log;
}

export function rolledBack(run: Run, { member, commonPoint, from }: Of<'rolledBack'>): void {
  const me = run.member(member);
  const to = run.entries.find(commonPoint);
  must(run.entries.find(from) === me.log, 'RollbackOplog: its log does not end where it says');
  must(to !== undefined && holds(me.log, to), 'RollbackOplog: its log does not hold the common point');
  must(me.state === 'Follower', 'RollbackOplog: it leads');
  if (to === me.log) return;
  must(
    !holds(run.committed, firstAfter(me.log, to)),
    `NeverRollbackCommitted: ${showEntry(firstAfter(me.log, to))} is committed`,
  );
  must(
    !isCommitPointLess(to, me.commitPoint) || !holds(me.log, me.commitPoint),
    `NeverRollbackBeforeCommitPoint: back to ${showEntry(to)}, and its commit point is ${showEntry(me.commitPoint)}`,
  );
  // One entry after the other goes, as long as the source's last term is later and it does not have that entry.
  const asks = (source: Entry): boolean => source.term > me.log.term && !holds(source, firstAfter(me.log, to));
  const { formerLogs, log, name } = run.teller(me, me.rollbackSource);
  const now = asks(log);
  must(
    now || formerLogs.some(asks),
    `RollbackOplog: ${name} has had no log of a later term that lacks ${showEntry(firstAfter(me.log, to))}`,
  );
  run.count(now ? 'RollbackOplog' : 'RollbackOplog, delayed');
  cut(me, to);
}

export function initialSync(run: Run, { member, phase }: Of<'initialSync'>): void {
  const me = run.member(member);
  if (phase === 'started' && me.log !== EMPTY_LOG) {
    run.count('outside: initialSync');
    cut(me, EMPTY_LOG);
  }
  if (phase === 'started' || phase === 'done') me.copying = phase === 'started';
}

function firstAfter(log: Entry, entry: Entry): Entry {
  let first = log;
  while (first.before !== entry) first = first.before;
  return first;
}

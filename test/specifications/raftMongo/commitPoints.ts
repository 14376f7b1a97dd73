import { type Entry, holds, isOfNoTerm, showEntry } from './entries.ts';
import type { Kind } from './kinds.ts';
import {
  dataBearingVotersOf,
  hasHeld,
  isArbiter,
  isCommitPointLess,
  isMajority,
  learn,
  type Member,
} from './members.ts';
import { configOf, must, type Of, type Run } from './run.ts';

// AdvanceCommitPoint, LearnCommitPointWithTermCheck, LearnCommitPointFromSyncSourceNeverBeyondLastApplied.

export function advanced(run: Run, { member, opTime }: Of<'commitPoint'>): void {
  const me = run.member(member);
  if (isOfNoTerm(opTime)) return;
  const entry = run.known(opTime, 'AdvanceCommitPoint');
  must(me.state === 'Leader', 'AdvanceCommitPoint: it does not lead');
  must(holds(me.log, entry), `AdvanceCommitPoint: ${showEntry(entry)} is not in its log`);
  must(
    entry.index > me.commitPoint.index,
    `AdvanceCommitPoint: ${showEntry(entry)} is not behind its commit point, ${showEntry(me.commitPoint)}`,
  );
  must(entry.term === me.currentTerm, `AdvanceCommitPoint: ${showEntry(entry)} is not of its own t${me.currentTerm}`);
  const config = configOf(me);
  const voters = dataBearingVotersOf(config).map((name) => run.member(name));
  const holders = voters.filter(({ log }) => holds(log, entry));
  const acknowledgers = holders.filter(({ currentTerm }) => currentTerm <= me.currentTerm);
  const now = isMajority(
    acknowledgers.map(({ name }) => name),
    config,
  );
  const told = voters.filter((voter) => hasHeld(voter, entry)).map(({ name }) => name);
  must(
    now || isMajority(told, config),
    `AdvanceCommitPoint: ${told.join(', ')} have had ${showEntry(entry)}, which is no majority`,
  );
  must(
    holds(entry, run.committed) || holds(run.committed, entry),
    `AdvanceCommitPoint: ${showEntry(entry)} and ${showEntry(run.committed)} are both committed`,
  );
  run.count(now ? 'AdvanceCommitPoint' : 'AdvanceCommitPoint, delayed');
  if (entry.index > run.committed.index) run.committed = entry;
  learn(me, entry);
}

export function learned(run: Run, { member, opTime }: Of<'commitPoint'>): void {
  const me = run.member(member);
  if (isOfNoTerm(opTime)) return;
  const entry = run.known(opTime, 'LearnCommitPoint');
  must(
    isCommitPointLess(me.commitPoint, entry),
    `LearnCommitPoint: ${showEntry(entry)} is not later than ${showEntry(me.commitPoint)}`,
  );
  const kind = isArbiter(me) ? learnedByArbiter(run, me, entry) : howLearned(run, me, entry);
  must(
    kind !== undefined,
    `LearnCommitPoint: nobody could tell it ${showEntry(entry)}; its log is ${showEntry(me.log)}`,
  );
  must(holds(run.committed, entry), `LearnCommitPoint: ${showEntry(entry)} is not committed`);
  run.count(kind);
  learn(me, entry);
}

function learnedByArbiter(run: Run, me: Member, entry: Entry): Kind | undefined {
  return run.tellers(me).some((other) => other.formerCommitPoints.has(entry)) ? 'outside: arbiter' : undefined;
}

/** The trace does not tell from whom: it is enough that somebody could have told it. */
function howLearned(run: Run, me: Member, entry: Entry): Kind | undefined {
  const tellers = run.tellers(me);
  const checked = me.log.term === entry.term;
  if (checked && tellers.some(({ commitPoint }) => commitPoint === entry)) return 'LearnCommitPointWithTermCheck';
  if (tellers.some((source) => holds(source.log, me.log) && fromSource(me, source.commitPoint) === entry))
    return 'LearnCommitPointFromSyncSource';
  if (checked && tellers.some(({ formerCommitPoints }) => formerCommitPoints.has(entry)))
    return 'LearnCommitPointWithTermCheck, delayed';
  const told = tellers.filter((source) => hasHeld(source, me.log));
  if (told.some((source) => [...source.formerCommitPoints].some((each) => fromSource(me, each) === entry)))
    return 'LearnCommitPointFromSyncSource, delayed';
  return undefined;
}

/** What a member takes over from a sync source with this commit point: nothing beyond the end of its own log. */
function fromSource(me: Member, commitPoint: Entry): Entry {
  return commitPoint.term <= me.log.term ? commitPoint : me.log;
}

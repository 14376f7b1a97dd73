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
  const told = voters.filter((voter) => voter === me || hasTold(run, me, voter, entry)).map(({ name }) => name);
  must(
    isMajority(told, config),
    `AdvanceCommitPoint: it knows of ${told.join(', ')} to have ${showEntry(entry)}, which is no majority`,
  );
  must(
    holds(entry, run.committed) || holds(run.committed, entry),
    `AdvanceCommitPoint: ${showEntry(entry)} and ${showEntry(run.committed)} are both committed`,
  );
  run.count(now ? 'AdvanceCommitPoint' : 'AdvanceCommitPoint, delayed');
  if (entry.index > run.committed.index) run.committed = entry;
  learn(me, entry);
}

/** Whether a voter has told a primary that it has an entry, in its journal if that is asked for. */
function hasTold(run: Run, me: Member, voter: Member, entry: Entry): boolean {
  const position = me.received.get(voter.name);
  if (position === undefined) return false;
  const { durable, written } = position;
  const end = run.known(configOf(me).writeConcernMajorityJournalDefault ? durable : written, 'AdvanceCommitPoint');
  must(hasHeld(voter, end), `AdvanceCommitPoint: ${voter.name} says that it has ${showEntry(end)}, which it never had`);
  return holds(end, entry);
}

export function learned(run: Run, event: Of<'commitPoint'>): void {
  const { member, opTime } = event;
  const me = run.member(member);
  if (isOfNoTerm(opTime)) return;
  const entry = run.known(opTime, 'LearnCommitPoint');
  must(
    isCommitPointLess(me.commitPoint, entry),
    `LearnCommitPoint: ${showEntry(entry)} is not later than ${showEntry(me.commitPoint)}`,
  );
  const teller = run.teller(me, event.toldBy);
  const kind = isArbiter(me)
    ? learnedByArbiter(teller, entry)
    : HOW_LEARNED[event.how ?? 'heartbeat'](me, teller, entry);
  must(
    kind !== undefined,
    `LearnCommitPoint: ${teller.name} could not tell it ${showEntry(entry)}; its log is ${showEntry(me.log)}`,
  );
  must(holds(run.committed, entry), `LearnCommitPoint: ${showEntry(entry)} is not committed`);
  run.count(kind);
  learn(me, entry);
}

function learnedByArbiter(teller: Member, entry: Entry): Kind | undefined {
  return teller.formerCommitPoints.has(entry) ? 'outside: arbiter' : undefined;
}

const HOW_LEARNED = { heartbeat: byTermCheck, 'sync source': bySyncSource };

function byTermCheck(me: Member, teller: Member, entry: Entry): Kind | undefined {
  if (me.log.term !== entry.term) return undefined;
  if (teller.commitPoint === entry) return 'LearnCommitPointWithTermCheck';
  return teller.formerCommitPoints.has(entry) ? 'LearnCommitPointWithTermCheck, delayed' : undefined;
}

function bySyncSource(me: Member, source: Member, entry: Entry): Kind | undefined {
  if (holds(source.log, me.log) && fromSource(me, source.commitPoint) === entry)
    return 'LearnCommitPointFromSyncSource';
  if (!hasHeld(source, me.log)) return undefined;
  const said = [...source.formerCommitPoints].some((each) => fromSource(me, each) === entry);
  return said ? 'LearnCommitPointFromSyncSource, delayed' : undefined;
}

/** What a member takes over from a sync source with this commit point: nothing beyond the end of its own log. */
function fromSource(me: Member, commitPoint: Entry): Entry {
  return commitPoint.term <= me.log.term ? commitPoint : me.log;
}

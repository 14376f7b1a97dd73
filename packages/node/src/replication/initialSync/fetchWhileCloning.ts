import type { Operation } from '@replsim/operations';
import {
  findCommand,
  findTimeoutMs,
  getMoreCommand,
  getMoreTimeoutMs,
  increases,
  judgeFirstBatch,
} from '@replsim/oplog';
import { CommandError, maxOpTime, NULL_OP_TIME, type OplogEntry, type OplogReply } from '@replsim/protocol';
import { call } from '../../core/call.ts';
import type { InitialSyncAttempt } from './attempt.ts';
import { isTransient, waitUntilReachable } from './patientCall.ts';

/** Upstream: oplogFetcherInitialSyncMaxFetcherRestarts. */
const MAX_RESTARTS = 10;

/**
 * Fetches the source's oplog into the attempt's buffer until it is killed, that is, until the attempt is over. It begins
 * the query again after errors, and waits for a source out of reach. Upstream: oplog_fetcher.cpp as InitialSyncer uses it.
 * Throws CommandError when the source is of no use any more.
 */
export function* fetchWhileCloning(attempt: InitialSyncAttempt): Operation<void> {
  for (let restarts = 0; ; restarts++) {
    const fetchedBefore = attempt.lastFetched;
    try {
      yield* tail(attempt, restarts > 0);
    } catch (error) {
      if (attempt.over || attempt.givenUpFor || !(error instanceof CommandError) || isFinal(error)) throw error;
      if (isTransient(error)) yield* waitUntilReachable(attempt, error);
      else if (restarts >= MAX_RESTARTS) throw error;
      if (attempt.lastFetched !== fetchedBefore) restarts = 0;
    }
  }
}

/** Errors that another query would not fix. */
function isFinal({ codeName }: CommandError): boolean {
  return codeName === 'OplogStartMissing' || codeName === 'OplogOutOfOrder' || codeName === 'InvalidSyncSource';
}

function* tail(attempt: InitialSyncAttempt, again: boolean): Operation<void> {
  const { core, topology, positions } = attempt.repl;
  const source = attempt.chosenSource;
  const find = findCommand(attempt.lastFetched.ts, again, topology.term);
  let reply = yield* call<OplogReply>(core, source, 'fetch', find, findTimeoutMs(again));
  checkFirstBatch(attempt, reply);
  take(attempt, reply, reply.batch.slice(1));
  for (;;) {
    const known = maxOpTime(positions.commitPoint.opTime, reply.$oplogQueryData.lastOpCommitted);
    const context = { term: topology.term, electionTimeoutMillis: topology.electionTimeoutMicros / 1000 };
    const getMore = getMoreCommand(reply.cursorId, known, context);
    reply = yield* call<OplogReply>(core, source, 'fetch', getMore, getMoreTimeoutMs(context));
    take(attempt, reply, reply.batch);
  }
}

function checkFirstBatch({ lastFetched, source }: InitialSyncAttempt, { batch, $oplogQueryData }: OplogReply): void {
  const remoteLast = maxOpTime($oplogQueryData.lastOpApplied, batch.at(-1)?.opTime ?? NULL_OP_TIME);
  const verdict = judgeFirstBatch(lastFetched, batch[0]?.opTime, remoteLast, undefined, false);
  if (verdict === 'notAhead') throw new CommandError('InvalidSyncSource', `${source} is behind what it sent`);
  if (verdict !== 'continue') throw new CommandError('OplogStartMissing', `${source} lost the entry to begin with`);
}

function take(attempt: InitialSyncAttempt, reply: OplogReply, entries: readonly OplogEntry[]): void {
  const { core, elections, progress } = attempt.repl;
  if (!increases(attempt.lastFetched, entries)) {
    throw new CommandError('OplogOutOfOrder', `the oplog of ${attempt.source} is out of order`);
  }
  const source = attempt.chosenSource;
  elections.updateTerm(reply.$replData.term, 'oplog query metadata', source);
  // Heartbeats teach no commit point while data are copied; batches do.
  progress.learn(reply.$replData, 'sync source', source);
  for (const entry of entries) attempt.buffer.push(entry);
  const last = entries.at(-1);
  if (!last) return;
  attempt.lastFetched = last.opTime;
  core.sawClusterTime(last.opTime.ts);
  core.wake();
}

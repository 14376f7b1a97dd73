import {
  compareTimestamps,
  ErrorCodes,
  type ErrorReply,
  maxOpTime,
  NULL_OP_TIME,
  type OplogEntry,
  type OplogFindCommand,
  type OplogGetMoreCommand,
  type OplogProbeCommand,
  type OplogProbeReply,
  type OplogReply,
  type OpTime,
  type Term,
} from '@replsim/protocol';
import { judgeFirstBatch } from './rollback.ts';

/**
 * A member's oplog fetcher: finds a source, probes it, tails its oplog, and notices when the two oplogs part.
 * Upstream: bgsync.cpp, sync_source_resolver.cpp, oplog_fetcher.cpp.
 */
export interface FetcherState {
  readonly phase: 'stopped' | 'choosing' | 'waiting' | 'probing' | 'finding' | 'tailing';
  readonly source: string | undefined;
  readonly cursorId: number;
  /** The newest entry held or buffered. */
  readonly lastFetched: OpTime;
  /** The source's oldest entry, from the newest probe. */
  readonly remoteFirst: OpTime | undefined;
  /** In phase `probing`: the source turned out not to hold my newest entry, and is asked again how far it goes back. */
  readonly startMissing: boolean;
  /** This source was tailed already, so a cursor that is opened again may find it level with me. */
  readonly tailed: boolean;
  /** The query was begun anew since the last good batch: one more error, and the source is given up. */
  readonly restarted: boolean;
  /** In steady state a source has to be ahead; an initial sync takes one that is level. */
  readonly requireAhead: boolean;
  /** Sources found too stale since a source was last usable. */
  readonly tooStaleSources: readonly string[];
}

export type FetcherEvent =
  | { readonly type: 'start'; readonly lastFetched: OpTime; readonly requireAhead: boolean }
  | { readonly type: 'stop' }
  | { readonly type: 'sourceChosen'; readonly source: string | undefined }
  | { readonly type: 'retry' }
  | { readonly type: 'probed'; readonly reply: OplogProbeReply }
  | { readonly type: 'batch'; readonly reply: OplogReply }
  | { readonly type: 'failed'; readonly reply: ErrorReply }
  /** After a batch: the topology says that this source should be left. */
  | { readonly type: 'leaveSource'; readonly reason: string };

export type FetcherEffect =
  | { readonly type: 'chooseSource'; readonly lastFetched: OpTime }
  | {
      readonly type: 'request';
      readonly to: string;
      readonly command: OplogProbeCommand | OplogFindCommand | OplogGetMoreCommand;
      readonly timeoutMs: number;
    }
  | { readonly type: 'sourceChanged'; readonly from: string | undefined; readonly to: string | undefined }
  | { readonly type: 'denylist'; readonly host: string; readonly forMs: number }
  | { readonly type: 'retryLater'; readonly afterMs: number }
  | { readonly type: 'restartHeartbeats' }
  | { readonly type: 'enqueue'; readonly entries: readonly OplogEntry[]; readonly reply: OplogReply }
  | { readonly type: 'fetchFailed'; readonly source: string; readonly code: number; readonly detail: string }
  | { readonly type: 'tooStale' }
  | { readonly type: 'rollback'; readonly source: string };

/** What the fetcher needs to know of its member at each step. */
export interface FetcherContext {
  readonly term: Term;
  readonly commitPoint: OpTime;
  readonly electionTimeoutMillis: number;
}

/** Upstream: oplog_fetcher.cpp, oplogInitialFindMaxSeconds; the socket allows five seconds more. */
const FIND_MAX_TIME_MS = 60_000;
/** Upstream: oplogRetriedFindMaxSeconds. */
const RETRIED_FIND_MAX_TIME_MS = 2_000;
const NETWORK_MARGIN_MS = 5_000;
const PROBE_TIMEOUT_MS = 30_000;
/** Upstream: sync_source_resolver.h, kFetcherErrorDenylistDuration and kTooStaleDenylistDuration. */
const ERROR_DENYLIST_MS = 10_000;
const TOO_STALE_DENYLIST_MS = 60_000;
/** Upstream: bgsync.cpp sleeps a second when no source is found. */
const NO_SOURCE_PAUSE_MS = 1_000;

export const STOPPED_FETCHER: FetcherState = Object.freeze({
  phase: 'stopped',
  source: undefined,
  cursorId: 0,
  lastFetched: NULL_OP_TIME,
  remoteFirst: undefined,
  startMissing: false,
  tailed: false,
  restarted: false,
  requireAhead: true,
  tooStaleSources: [],
});

type Step = [state: FetcherState, effects: readonly FetcherEffect[]];

/**
 * Moves the fetcher on by one event.
 * @returns the next state, then the effects in the order in which they must be carried out
 */
export function stepFetcher(state: FetcherState, event: FetcherEvent, context: FetcherContext): Step {
  if (event.type === 'stop') return stop(state);
  if (event.type === 'start') {
    const { lastFetched, requireAhead } = event;
    // After a divergence the old source is still named, and the change from it to the next one is to be seen.
    return choose({ ...STOPPED_FETCHER, source: state.source, lastFetched, requireAhead });
  }
  switch (state.phase) {
    case 'choosing':
      return event.type === 'sourceChosen' ? sourceChosen(state, event.source) : [state, []];
    case 'waiting':
      return event.type === 'retry' ? choose(state) : [state, []];
    case 'probing':
      if (event.type === 'probed') return probed(state, event.reply, context);
      return event.type === 'failed' ? refuseFor(state, event.reply) : [state, []];
    case 'finding':
      if (event.type === 'batch') return firstBatch(state, event.reply, context);
      return event.type === 'failed' ? queryFailed(state, event.reply, context) : [state, []];
    case 'tailing':
      if (event.type === 'batch') return nextBatch(state, event.reply, event.reply.batch, context);
      if (event.type === 'leaveSource') return choose(state);
      return event.type === 'failed' ? queryFailed(state, event.reply, context) : [state, []];
    case 'stopped':
      return [state, []];
  }
}

function stop(state: FetcherState): Step {
  const changed: FetcherEffect[] =
    state.source === undefined ? [] : [{ type: 'sourceChanged', from: state.source, to: undefined }];
  return [{ ...STOPPED_FETCHER, lastFetched: state.lastFetched }, changed];
}

/** Back to the choice of a source; the old one stays in place until a new one is found. */
function choose(state: FetcherState): Step {
  return [{ ...state, phase: 'choosing' }, [{ type: 'chooseSource', lastFetched: state.lastFetched }]];
}

function sourceChosen(state: FetcherState, source: string | undefined): Step {
  const changed: FetcherEffect[] =
    state.source === source ? [] : [{ type: 'sourceChanged', from: state.source, to: source }];
  if (source === undefined) {
    const stale: FetcherEffect[] = state.tooStaleSources.length > 0 ? [{ type: 'tooStale' }] : [];
    const again: FetcherEffect[] = [{ type: 'restartHeartbeats' }, { type: 'retryLater', afterMs: NO_SOURCE_PAUSE_MS }];
    return [{ ...state, phase: 'waiting', source, tooStaleSources: [] }, [...changed, ...stale, ...again]];
  }
  return probe({ ...state, source, startMissing: false }, changed);
}

function probe(state: FetcherState, before: readonly FetcherEffect[]): Step {
  const command: OplogProbeCommand = { find: 'oplog.rs', limit: 1 };
  const request: FetcherEffect = { type: 'request', to: state.source!, command, timeoutMs: PROBE_TIMEOUT_MS };
  return [{ ...state, phase: 'probing' }, [...before, request]];
}

function probed(state: FetcherState, reply: OplogProbeReply, context: FetcherContext): Step {
  const source = state.source!;
  const { first } = reply;
  if (!first) return refuse(state, ERROR_DENYLIST_MS, ErrorCodes.OplogStartMissing, 'its oplog is empty');
  // Its first entry may come from an old config, so terms say nothing here.
  if (compareTimestamps(first.ts, state.lastFetched.ts) > 0) {
    const stale = { ...state, tooStaleSources: [...state.tooStaleSources, source] };
    const detail = 'its oldest entry is newer than my newest';
    return refuse(stale, TOO_STALE_DENYLIST_MS, ErrorCodes.TooStaleToSyncFromSource, detail);
  }
  if (state.startMissing) return diverged(state);
  const usable = { ...state, remoteFirst: first, tooStaleSources: [], tailed: false, restarted: false };
  return openCursor(usable, FIND_MAX_TIME_MS, context);
}

function openCursor(state: FetcherState, maxTimeMS: number, { term }: FetcherContext): Step {
  const filter = { ts: { $gte: state.lastFetched.ts } };
  const command: OplogFindCommand = { find: 'oplog.rs', filter, maxTimeMS, term };
  const timeoutMs = maxTimeMS + NETWORK_MARGIN_MS;
  return [{ ...state, phase: 'finding' }, [{ type: 'request', to: state.source!, command, timeoutMs }]];
}

function firstBatch(state: FetcherState, reply: OplogReply, context: FetcherContext): Step {
  const { batch, $oplogQueryData } = reply;
  const remoteLast = maxOpTime($oplogQueryData.lastOpApplied, batch.at(-1)?.opTime ?? NULL_OP_TIME);
  const requireAhead = state.requireAhead && !state.tailed;
  switch (judgeFirstBatch(state.lastFetched, batch[0]?.opTime, remoteLast, state.remoteFirst, requireAhead)) {
    case 'continue':
      return nextBatch({ ...state, phase: 'tailing' }, reply, batch.slice(1), context);
    case 'notAhead':
      return refuse(state, ERROR_DENYLIST_MS, ErrorCodes.InvalidSyncSource, 'it is not ahead of me');
    case 'tooStale':
    case 'rollback':
      // Its oplog may have been cut at the head since the probe, which looks the same: ask how far it goes back.
      return batch.length === 0 ? diverged(state) : probe({ ...state, startMissing: true }, []);
  }
}

function diverged(state: FetcherState): Step {
  return [{ ...state, phase: 'stopped' }, [{ type: 'rollback', source: state.source! }]];
}

function nextBatch(
  state: FetcherState,
  reply: OplogReply,
  entries: readonly OplogEntry[],
  context: FetcherContext,
): Step {
  if (!increases(state.lastFetched, entries)) {
    return refuse(state, ERROR_DENYLIST_MS, ErrorCodes.OplogOutOfOrder, 'its oplog is out of order');
  }
  const lastFetched = entries.at(-1)?.opTime ?? state.lastFetched;
  const next = { ...state, lastFetched, cursorId: reply.cursorId, tailed: true, restarted: false };
  // What this reply says is committed was heard, though it counts only once the entries are written. Upstream's stream
  // of replies goes by what the source sent, too.
  const heard = maxOpTime(context.commitPoint, reply.$oplogQueryData.lastOpCommitted);
  return [next, [{ type: 'enqueue', entries, reply }, getMore(next, heard, context)]];
}

/** In an oplog `ts` increases strictly, and `t` never goes down. Upstream: oplog_fetcher.cpp, validateDocuments. */
function increases(after: OpTime, entries: readonly OplogEntry[]): boolean {
  let previous = after;
  for (const { opTime } of entries) {
    if (compareTimestamps(opTime.ts, previous.ts) <= 0 || opTime.t < previous.t) return false;
    previous = opTime;
  }
  return true;
}

function getMore(state: FetcherState, lastKnownCommittedOpTime: OpTime, context: FetcherContext): FetcherEffect {
  const maxTimeMS = Math.min(Math.floor(context.electionTimeoutMillis / 2), 30_000);
  const command: OplogGetMoreCommand = {
    getMore: state.cursorId,
    collection: 'oplog.rs',
    maxTimeMS,
    term: context.term,
    lastKnownCommittedOpTime,
  };
  return { type: 'request', to: state.source!, command, timeoutMs: maxTimeMS + NETWORK_MARGIN_MS };
}

/**
 * A source that is of no use now. Upstream puts it aside only after a failed or too stale probe and otherwise chooses
 * again at once, often the same one, until a probe fails or a heartbeat tells; here such a source is put aside, too.
 */
function refuse(state: FetcherState, forMs: number, code: number, detail: string): Step {
  const source = state.source!;
  const [next, effects] = choose(state);
  return [next, [{ type: 'denylist', host: source, forMs }, { type: 'fetchFailed', source, code, detail }, ...effects]];
}

function refuseFor(state: FetcherState, { code, errmsg }: ErrorReply): Step {
  return refuse(state, ERROR_DENYLIST_MS, code, errmsg);
}

/** A query that failed is begun anew once: the cursor may be lost, or a term stale, while the source is sound. */
function queryFailed(state: FetcherState, reply: ErrorReply, context: FetcherContext): Step {
  if (state.restarted) return refuseFor(state, reply);
  const failed: FetcherEffect = {
    type: 'fetchFailed',
    source: state.source!,
    code: reply.code,
    detail: reply.errmsg,
  };
  const [next, effects] = openCursor({ ...state, restarted: true }, RETRIED_FIND_MAX_TIME_MS, context);
  return [next, [failed, ...effects]];
}

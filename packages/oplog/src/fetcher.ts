import {
  compareTimestamps,
  ErrorCodes,
  type ErrorReply,
  maxOpTime,
  NULL_OP_TIME,
  type OplogEntry,
  type OplogProbeCommand,
  type OplogProbeReply,
  type OplogReply,
  type OpTime,
  required,
  sameOpTime,
} from '@replsim/protocol';
import type { FetcherContext, FetcherEffect, FetcherEvent, FetcherState } from './fetcherTypes.ts';
import { findCommand, findTimeoutMs, getMoreCommand, getMoreTimeoutMs, PROBE_TIMEOUT_MS } from './oplogQueries.ts';
import { judgeFirstBatch } from './rollback.ts';

/** Upstream: sync_source_resolver.h, kFetcherErrorDenylistDuration and kOplogEmptyDenylistDuration. */
const ERROR_DENYLIST_MS = 10_000;
/** Upstream: sync_source_resolver.h, kTooStaleDenylistDuration, kNoRequiredOpTimeDenylistDuration. */
const TOO_STALE_DENYLIST_MS = 60_000;
/** Upstream: bgsync.cpp sleeps a second when no source is found, and when the same one is chosen again. */
const PAUSE_MS = 1_000;
/** Upstream: oplogFetcherSteadyStateMaxFetcherRestarts. */
const MAX_RESTARTS = 1;

export const STOPPED_FETCHER: FetcherState = Object.freeze({
  phase: 'stopped',
  source: undefined,
  previousSource: undefined,
  cursorId: 0,
  lastFetched: NULL_OP_TIME,
  remoteFirst: undefined,
  startMissing: false,
  tailed: false,
  restarts: 0,
  tooStaleSources: [],
  lastHeardCommitted: NULL_OP_TIME,
});

type Step = [state: FetcherState, effects: readonly FetcherEffect[]];

/**
 * Moves the fetcher on by one event.
 * @returns the next state, then the effects in the order in which they must be carried out
 */
export function stepFetcher(state: FetcherState, event: FetcherEvent, context: FetcherContext): Step {
  if (event.type === 'stop') return stop(state);
  // After a divergence the old source is still named, and the change from it to the next one is to be seen.
  if (event.type === 'start') {
    return choose({ ...STOPPED_FETCHER, source: state.source, lastFetched: event.lastFetched });
  }
  switch (state.phase) {
    case 'choosing':
      return event.type === 'sourceChosen' ? sourceChosen(state, event.source) : [state, []];
    case 'waiting':
      return event.type === 'retry' ? choose(state) : [state, []];
    case 'probing':
      if (event.type === 'probed') return probed(state, event.reply, context);
      return event.type === 'failed' ? refuseFor(state, event.reply) : [state, []];
    case 'requiring':
      if (event.type === 'probed') return requiredProbed(state, event.reply, context);
      return event.type === 'failed' ? refuseFor(state, event.reply) : [state, []];
    case 'pausing':
      return event.type === 'retry' ? openCursor(state, false, context) : [state, []];
    case 'finding':
      if (event.type === 'batch') return firstBatch(state, event.reply);
      return event.type === 'failed' ? queryFailed(state, event.reply, context) : [state, []];
    case 'tailing':
      if (event.type === 'batch') return nextBatch(state, event.reply, event.reply.batch);
      return event.type === 'failed' ? queryFailed(state, event.reply, context) : [state, []];
    case 'enqueuing':
      if (event.type === 'enqueued') return askForMore(state, context);
      return event.type === 'leaveSource' ? choose({ ...state, lastFetched: event.lastFetched }) : [state, []];
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
    const again: FetcherEffect[] = [{ type: 'noSource' }, { type: 'retryLater', afterMs: PAUSE_MS }];
    const next: FetcherState = { ...state, phase: 'waiting', source, previousSource: undefined, tooStaleSources: [] };
    return [next, [...changed, ...stale, ...again]];
  }
  return probe({ ...state, source, startMissing: false }, changed);
}

function probe(state: FetcherState, before: readonly FetcherEffect[]): Step {
  return [{ ...state, phase: 'probing' }, [...before, probeRequest(state, { find: 'oplog.rs', limit: 1 })]];
}

/** Who was chosen: in every phase from `probing` on there is one. */
function sourceOf({ source }: FetcherState): string {
  return required(source, 'sync source');
}

function probeRequest(state: FetcherState, command: OplogProbeCommand): FetcherEffect {
  return { type: 'request', to: sourceOf(state), command, timeoutMs: PROBE_TIMEOUT_MS };
}

function probed(state: FetcherState, { first }: OplogProbeReply, context: FetcherContext): Step {
  if (!first) return refuse(state, ERROR_DENYLIST_MS, ErrorCodes.OplogStartMissing, 'its oplog is empty');
  // Its first entry may come from an old config, so terms say nothing here.
  if (compareTimestamps(first.ts, state.lastFetched.ts) > 0) {
    const stale = { ...state, tooStaleSources: [...state.tooStaleSources, sourceOf(state)] };
    const detail = 'its oldest entry is newer than my newest';
    return refuse(stale, TOO_STALE_DENYLIST_MS, ErrorCodes.TooStaleToSyncFromSource, detail);
  }
  if (state.startMissing) return diverged(state);
  const next = { ...state, remoteFirst: first };
  if (!context.requiredOpTime) return found(next, context);
  const { ts } = context.requiredOpTime;
  const command: OplogProbeCommand = { find: 'oplog.rs', filter: { ts: { $gte: ts, $lte: ts } }, limit: 1 };
  return [{ ...next, phase: 'requiring' }, [probeRequest(next, command)]];
}

/** Some points must be reached before this member is consistent; a source that lacks them cannot take it there. */
function requiredProbed(state: FetcherState, { first }: OplogProbeReply, context: FetcherContext): Step {
  if (context.requiredOpTime && !(first && sameOpTime(first, context.requiredOpTime))) {
    const detail = 'it lacks an entry that I must reach';
    return refuse(state, TOO_STALE_DENYLIST_MS, ErrorCodes.OplogStartMissing, detail);
  }
  return found(state, context);
}

/** The source will do. One that was just left, or refused, is tried again only after a moment. */
function found(state: FetcherState, context: FetcherContext): Step {
  const { source, previousSource } = state;
  const usable = { ...state, tooStaleSources: [], tailed: false, restarts: 0, previousSource: source };
  const effect: FetcherEffect = { type: 'sourceFound', same: source === previousSource };
  if (source === previousSource) {
    return [{ ...usable, phase: 'pausing' }, [effect, { type: 'retryLater', afterMs: PAUSE_MS }]];
  }
  const [next, effects] = openCursor(usable, false, context);
  return [next, [effect, ...effects]];
}

function openCursor(state: FetcherState, again: boolean, { term }: FetcherContext): Step {
  const command = findCommand(state.lastFetched.ts, again, term);
  const timeoutMs = findTimeoutMs(again);
  return [{ ...state, phase: 'finding' }, [{ type: 'request', to: sourceOf(state), command, timeoutMs }]];
}

function firstBatch(state: FetcherState, reply: OplogReply): Step {
  const { batch, $oplogQueryData } = reply;
  const remoteLast = maxOpTime($oplogQueryData.lastOpApplied, batch.at(-1)?.opTime ?? NULL_OP_TIME);
  // A cursor that is opened again may find the source level with me.
  switch (judgeFirstBatch(state.lastFetched, batch[0]?.opTime, remoteLast, state.remoteFirst, !state.tailed)) {
    case 'continue':
      return nextBatch(state, reply, batch.slice(1));
    case 'notAhead':
      return giveUp(state, ErrorCodes.InvalidSyncSource, 'it is not ahead of me');
    case 'tooStale':
    case 'rollback':
      // Its oplog may have been cut at the head since the probe, which looks the same: ask how far it goes back.
      return batch.length === 0 ? diverged(state) : probe({ ...state, startMissing: true }, []);
  }
}

function diverged(state: FetcherState): Step {
  return [{ ...state, phase: 'stopped' }, [{ type: 'rollback', source: sourceOf(state) }]];
}

/** A good batch: the owner takes it over, or drops it, before more is asked for. */
function nextBatch(state: FetcherState, reply: OplogReply, entries: readonly OplogEntry[]): Step {
  if (!increases(state.lastFetched, entries)) {
    return giveUp(state, ErrorCodes.OplogOutOfOrder, 'its oplog is out of order');
  }
  const next: FetcherState = {
    ...state,
    phase: 'enqueuing',
    lastFetched: entries.at(-1)?.opTime ?? state.lastFetched,
    cursorId: reply.cursorId,
    lastHeardCommitted: reply.$oplogQueryData.lastOpCommitted,
    tailed: true,
    restarts: 0,
  };
  return [next, [{ type: 'enqueue', entries, reply, before: state.lastFetched }]];
}

/** In an oplog `ts` increases strictly, and `t` never goes down. Upstream: oplog_fetcher.cpp, validateDocuments. */
export function increases(after: OpTime, entries: readonly OplogEntry[]): boolean {
  let previous = after;
  for (const { opTime } of entries) {
    if (compareTimestamps(opTime.ts, previous.ts) <= 0 || opTime.t < previous.t) return false;
    previous = opTime;
  }
  return true;
}

function askForMore(state: FetcherState, context: FetcherContext): Step {
  // What the last reply said is committed was heard, though my log may not reach there yet. Upstream's stream of replies
  // goes by what the source sent, too.
  const known = maxOpTime(context.commitPoint, state.lastHeardCommitted);
  const command = getMoreCommand(state.cursorId, known, context);
  const timeoutMs = getMoreTimeoutMs(context);
  return [{ ...state, phase: 'tailing' }, [{ type: 'request', to: sourceOf(state), command, timeoutMs }]];
}

/** A source that a probe found of no use: it is put aside, and the next one chosen. */
function refuse(state: FetcherState, forMs: number, code: number, detail: string): Step {
  const [next, effects] = giveUp(state, code, detail);
  return [next, [{ type: 'denylist', host: sourceOf(state), forMs }, ...effects]];
}

function refuseFor(state: FetcherState, { code, errmsg }: ErrorReply): Step {
  return refuse(state, ERROR_DENYLIST_MS, code, errmsg);
}

/** Another choice, which may fall on the same source again: only a probe puts one aside. */
function giveUp(state: FetcherState, code: number, detail: string): Step {
  const [next, effects] = choose(state);
  return [next, [{ type: 'fetchFailed', source: sourceOf(state), code, detail }, ...effects]];
}

/** A query that failed is restarted: the cursor may be lost, or a term stale, while the source is sound. */
function queryFailed(state: FetcherState, reply: ErrorReply, context: FetcherContext): Step {
  const { code, errmsg: detail } = reply;
  if (state.restarts >= MAX_RESTARTS || context.shouldChangeOnError) return giveUp(state, code, detail);
  const failed: FetcherEffect = { type: 'fetchFailed', source: sourceOf(state), code, detail };
  const [next, effects] = openCursor({ ...state, restarts: state.restarts + 1 }, true, context);
  return [next, [failed, ...effects]];
}

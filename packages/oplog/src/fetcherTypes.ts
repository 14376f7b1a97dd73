import type {
  ErrorReply,
  OplogEntry,
  OplogFindCommand,
  OplogGetMoreCommand,
  OplogProbeCommand,
  OplogProbeReply,
  OplogReply,
  OpTime,
  Term,
} from '@replsim/protocol';

/**
 * A member's oplog fetcher: finds a source, probes it, tails its oplog, and notices when the two oplogs part.
 * Upstream: bgsync.cpp, sync_source_resolver.cpp, oplog_fetcher.cpp.
 */
export interface FetcherState {
  /**
   * - `waiting`: no source; `pausing`: the same one again, after a moment
   * - `probing`: how far does its oplog go back? `requiring`: does it hold the required entry?
   * - `finding`: a cursor is being opened; `tailing`: more was asked for; `enqueuing`: a batch is with the owner
   */
  readonly phase:
    | 'stopped'
    | 'choosing'
    | 'waiting'
    | 'probing'
    | 'requiring'
    | 'pausing'
    | 'finding'
    | 'tailing'
    | 'enqueuing';
  readonly source: string | undefined;
  /** The source that was last good enough to fetch from. */
  readonly previousSource: string | undefined;
  readonly cursorId: number;
  /** The newest entry held or buffered. */
  readonly lastFetched: OpTime;
  /** The source's oldest entry, from the newest probe. */
  readonly remoteFirst: OpTime | undefined;
  /** In phase `probing`: the source turned out not to hold my newest entry, and is asked again how far it goes back. */
  readonly startMissing: boolean;
  /** This source was tailed already, so a cursor that is opened again may find it level with me. */
  readonly tailed: boolean;
  /** How often the query was restarted since the last good batch. */
  readonly restarts: number;
  /** Sources found too stale since a source was last usable. */
  readonly tooStaleSources: readonly string[];
  /** The commit point of the last reply. */
  readonly lastHeardCommitted: OpTime;
}

export type FetcherEvent =
  | { readonly type: 'start'; readonly lastFetched: OpTime }
  | { readonly type: 'stop' }
  | { readonly type: 'sourceChosen'; readonly source: string | undefined }
  /** The pause asked for by `retryLater` is over. */
  | { readonly type: 'retry' }
  | { readonly type: 'probed'; readonly reply: OplogProbeReply }
  | { readonly type: 'batch'; readonly reply: OplogReply }
  | { readonly type: 'failed'; readonly reply: ErrorReply }
  /** The batch in hand is in the buffer: there is room for more. */
  | { readonly type: 'enqueued' }
  /** This source should be left. `lastFetched`: the newest entry in the buffer, which tells whether the batch in hand is. */
  | { readonly type: 'leaveSource'; readonly lastFetched: OpTime };

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
  /** Nobody will do now. */
  | { readonly type: 'noSource' }
  /** A source passed its probes. `same`: as the last that did. */
  | { readonly type: 'sourceFound'; readonly same: boolean }
  /** A batch to take over, answered by `enqueued` or `leaveSource`. `before`: `lastFetched` without it. */
  | {
      readonly type: 'enqueue';
      readonly entries: readonly OplogEntry[];
      readonly reply: OplogReply;
      readonly before: OpTime;
    }
  | { readonly type: 'fetchFailed'; readonly source: string; readonly code: number; readonly detail: string }
  | { readonly type: 'tooStale' }
  | { readonly type: 'rollback'; readonly source: string };

/** What the fetcher needs to know of its member at each step. */
export interface FetcherContext {
  readonly term: Term;
  readonly commitPoint: OpTime;
  readonly electionTimeoutMillis: number;
  /** The fail point `setSmallOplogGetMoreMaxTimeMS` is on. */
  readonly waitsShortly?: boolean;
  /** A point ahead of `lastFetched` that must be reached before the data are consistent. */
  readonly requiredOpTime: OpTime | undefined;
  /** After an error: the source should be left rather than asked again. */
  readonly shouldChangeOnError: boolean;
}

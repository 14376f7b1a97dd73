import type { CommandError, OplogEntry, OpTime } from '@replsim/protocol';
import type { OpenConnection } from '../connections/openConnection.ts';
import type { OperationDebug } from './operationDebug.ts';

/**
 * An operation is a generator that the member runs a stretch at a time: each `yield` says what it waits for.
 * That keeps a command readable from top to bottom, lets it cost virtual time, and lets a state change kill it: the
 * error is thrown in at the place where it waits. Nothing in it may await.
 */
export type Operation<T> = Generator<Pause, T, Resume>;

export type Pause =
  /** Work that takes virtual time; or, `idle`, a pause in which the processor is free for others. */
  | { readonly type: 'spend'; readonly micros: number; readonly idle?: true }
  /**
   * Goes on once `ready()` holds, which is asked after each event that may have changed it, or at `deadlineMicros` of
   * the monotonic clock. What it is for is shown by `currentOp`.
   */
  | {
      readonly type: 'wait';
      readonly what:
        | 'writeConcern'
        | 'readConcern'
        | 'journal'
        | 'awaitData'
        | 'stepDown'
        | 'election'
        | 'topologyChange'
        | 'failPoint'
        /** The fail point of that name, before the command takes any lock. */
        | 'failCommand'
        | 'indexBuild'
        /** Another holds the global lock: `fsync` does. */
        | 'lock'
        | 'other';
      readonly ready: () => boolean;
      readonly deadlineMicros?: number;
      /**
       * Entries of this namespace, or any for the empty one: it is asked only after such have been committed, or cursors were
       * closed, so that a thousand who wait cost nothing.
       */
      readonly entriesOf?: string;
      /** How long the client is content to wait for news, for clients that count it themselves. Unit: ms. */
      readonly forMs?: number;
    };

/** True after `spend` and when a wait's condition holds; false when its deadline came first. */
export type Resume = boolean;

/** Works for `micros` of virtual time. */
export function* spend(micros: number): Operation<void> {
  if (micros > 0) yield { type: 'spend', micros };
}

/** Does nothing for `micros` of virtual time. */
export function* sleep(micros: number): Operation<void> {
  if (micros > 0) yield { type: 'spend', micros, idle: true };
}

/**
 * Whom a state change kills; a `hello` that waits is told of it instead.
 * Upstream: op_killer / kill_sessions and repl's killOpContainer.
 */
export type Killable = 'whenNotPrimary' | 'onRollback' | 'never';

/** An operation under way, as `currentOp` and the killers see it. */
export interface RunningOperation {
  readonly opId: number;
  readonly desc: string;
  readonly ns: string;
  readonly commandName: string;
  readonly startedMicros: number;
  /** It may change on the way: who has once taken a lock for writing is killed from then on. */
  killable: Killable;
  /** It ends when its client has gone. */
  readonly endsWithClient: boolean;
  /** The client's session, by the hex of its UUID. */
  readonly session?: string | undefined;
  /** Of the transaction that it is a statement of, or of the retryable write that it is. */
  readonly txnNumber?: bigint | undefined;
  /** The newest entry that it wrote to the oplog. */
  lastOpTime?: OpTime | undefined;
  /** The first entries that it wrote, and when it wrote the newest of all; kept only where somebody asks what becomes of them. */
  written?: { readonly entries: OplogEntry[]; newestMicros: number } | undefined;
  /** The write concern that its writes have met, as far as it has waited for one: a number, "majority" or another mode. */
  metConcern?: number | string | undefined;
  /** What `currentOp` shows of it beside the rest: `command`, `msg`, `progress`. */
  readonly details?: (() => Readonly<Record<string, unknown>>) | undefined;
  waitingFor: string | undefined;
  /** It has been killed, and will hear of it where it next waits. */
  readonly killPending?: boolean;
  /** What it has done so far. */
  readonly debug: OperationDebug;
  /** On which the command came, if it did on one. */
  readonly connection?: OpenConnection | undefined;
  /** What a client sent; the member's own operations have none. */
  readonly command?: Uint8Array | undefined;
  kill(error: CommandError): void;
}

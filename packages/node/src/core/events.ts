import type { ClientConnection } from '@replsim/operations';
import type { ConnectionPeer, ConnectionRefusal, MemberMessage, MemberTrace } from '@replsim/protocol';
import type { Journalled, ReadView } from '@replsim/storage';

/** Why a disk fails: no space is left, or what it holds is not what was written. */
export type DiskFailure = 'full' | 'corrupt';

/** What can happen to a mongod. */
export type MongodEvent =
  /** The process runs; the first event it sees. */
  | { readonly type: 'started' }
  | { readonly type: 'message'; readonly message: MemberMessage }
  | { readonly type: 'timer'; readonly key: string }
  /**
   * A client's command, BSON; answered by a `reply` effect with the same `requestId` (which the host keeps to itself if
   * `moreToCome`), by `hangUp` if it came on no connection, or by `closeConnection`.
   */
  | ({ readonly type: 'command'; readonly requestId: number; readonly command: Uint8Array } & ClientConnection)
  /** A client has opened a connection. @param remote its address and port */
  | { readonly type: 'connectionOpened'; readonly connectionId: number; readonly remote: string }
  /** Its port has closed one at once, because there are too many. */
  | { readonly type: 'connectionRejected'; readonly remote: string }
  /** Its port has agreed with the client on how it is secured, before anything is asked on it. */
  | { readonly type: 'connectionSecured'; readonly connectionId: number; readonly peer: ConnectionPeer }
  /** Its port does not let the client in, and closes it. */
  | { readonly type: 'connectionRefused'; readonly connectionId: number; readonly refusal: ConnectionRefusal }
  /** A connection is gone: what was under way on it is interrupted, with no answer. */
  | { readonly type: 'connectionClosed'; readonly connectionId: number }
  /** The wait that an `awaiting` effect announced is over: the request is answered with what there is. */
  | { readonly type: 'awaitEnded'; readonly requestId: number }
  /** The disk did what the `writeJournal`, `writeCheckpoint` or `writeFile` effect with this ticket asked for. */
  | { readonly type: 'diskDone'; readonly ticket: number }
  /** The disk could not do what the effect with this ticket asked for; it stays undone. */
  | { readonly type: 'diskFailed'; readonly ticket: number; readonly reason: DiskFailure }
  /** Its oplog drops entries older than this, as if it were too small for them. */
  | { readonly type: 'truncateOplog'; readonly olderThanMs: number }
  /** SIGTERM. */
  | { readonly type: 'terminate' };

/** One timer or alarm a key: setting it again moves it. */
export interface SetTimer {
  readonly type: 'setTimer';
  readonly key: string;
  readonly afterMicros: number;
  /** The host adds a whole number in [0, jitterMicros). */
  readonly jitterMicros?: number;
  /** The processor works until then; where its cores are few, it begins when one of them is free. */
  readonly computes?: true;
  /** What waits for it: the host, which alone knows when that is over, tells the trace so. Absent where the trace is not to say it. */
  readonly deadline?: Deadline;
}

/** What the trace's `deadline` is of. */
export type Deadline = Extract<MemberTrace, { type: 'deadline' }>['of'];

/** What a mongod asks its host to do, in order. */
export type MongodEffect =
  | { readonly type: 'send'; readonly message: MemberMessage }
  | SetTimer
  /** A timer that fires when this member's wall clock shows this time or later, through all drift and jumps. */
  | { readonly type: 'setAlarm'; readonly key: string; readonly wallMs: number }
  | { readonly type: 'cancelTimer'; readonly key: string }
  | { readonly type: 'reply'; readonly requestId: number; readonly reply: Uint8Array }
  /** The client that sent this request, on no connection that is known, gets no answer. */
  | { readonly type: 'hangUp'; readonly requestId: number }
  /** The member closes a connection; what was under way on it gets no answer. */
  | { readonly type: 'closeConnection'; readonly connectionId: number }
  /**
   * A request (one that `awaitsOutside`) now waits for a change, and its client will wait this long; the host sends
   * `awaitEnded` when that is over, unless the reply comes first.
   */
  | { readonly type: 'awaiting'; readonly requestId: number; readonly forMs: number }
  /** Append to the journal durably; answered by `diskDone` after `costMicros`. */
  | {
      readonly type: 'writeJournal';
      readonly ticket: number;
      readonly records: readonly Journalled[];
      readonly costMicros: number;
    }
  /** Writes a file under the `--dbpath`, for people to read. */
  | {
      readonly type: 'writeFile';
      readonly ticket: number;
      /** Relative to the `--dbpath`. */
      readonly path: string;
      readonly bytes: Uint8Array;
      readonly costMicros: number;
    }
  /** `view` becomes the data on disk; journal segments up to `dropThroughSeq` may go. */
  | {
      readonly type: 'writeCheckpoint';
      readonly ticket: number;
      readonly view: ReadView;
      readonly metadata: Uint8Array;
      readonly dropThroughSeq: number;
      readonly costMicros: number;
    }
  | { readonly type: 'trace'; readonly event: MemberTrace }
  /** The process ends by itself. */
  | { readonly type: 'exit'; readonly how: 'shutdown' | 'fatal'; readonly detail?: string };

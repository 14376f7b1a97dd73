import type { ClientTrace, LessonTrace, RunEvent, StreamTrace, TraceEventType } from '@replsim/protocol';
import type {
  ActingUser,
  ClientEnd,
  Connection,
  ConnectionListener,
  MemberStatus,
  PendingReply,
  Standing,
  TraceListener,
} from './api.ts';
import type { FaultAction } from './faults/table.ts';

/**
 * A replica set that runs in virtual time. The class in `replSet.ts` implements it.
 * Times are in microseconds since time zero. Methods that may touch a real disk return promises; the run never depends on when
 * these resolve.
 */
export interface ReplicaSetApi {
  /** Seed of the random numbers. */
  readonly seed: number;
  readonly setName: string;
  /** Time zero, in ms since 1970. */
  readonly epochMs: number;
  /** The current virtual time, in µs since time zero. */
  readonly nowMicros: number;
  readonly memberNames: readonly string[];
  /** Whether a member's process runs, and how. */
  status(member: string): MemberStatus;
  /** Whether a member would stand for election now, and until when it may not. */
  standing(member: string): Standing;
  /** A member's own wall clock, in ms since 1970. */
  wallMs(member: string): number;
  /** Grows with every event that may change any member's answers. `eventually` looks again when it has grown. */
  readonly changes: number;

  /**
   * Sends a command (BSON, with `$db`) to a running member. It is processed in virtual time.
   * @param user as whom it is carried out, without a password; absent: it may do everything
   */
  send(member: string, command: Uint8Array, user?: ActingUser): PendingReply;
  /** Runs a command on a running member instantly, without spending virtual time. Only for commands that never wait. */
  ask(member: string, command: Uint8Array): Uint8Array;

  /**
   * Creates a client's end of the network.
   * @param near the member whose machine it shares, so that partitions, cuts, latency and loss of that member's links affect it.
   *   Without it the client is outside the network, as the steps are, and reaches every process at once.
   */
  client(name: string, near?: string): ClientEnd;

  /** `HOST:PORT` of a member. */
  hostOf(member: string): string;
  /** The member at a host, however the host is spelled; undefined if there is none. */
  memberAt(host: string): string | undefined;
  /**
   * Opens a connection to a member; undefined if no process runs there.
   * @param remote the client's address and port, as shown by the member's log and by `whatsmyuri`
   */
  connect(member: string, remote: string, listener: ConnectionListener): Connection | undefined;
  /** Tells a member that its port has closed a connection at once, because there are too many. @returns whether its process runs */
  reject(member: string, remote: string): boolean;
  /** Lets time pass until `untilMicros`. */
  advanceTo(untilMicros: number): Promise<void>;
  /**
   * Lets time pass until `done()` returns true, at most until `limitMicros`. `done` is called at the start, after each event
   * that increased `changes`, every second of virtual time, and at the end.
   * @returns whether `done()` returned true
   */
  runUntil(done: () => boolean, limitMicros: number): Promise<boolean>;
  /**
   * Calls `look` at an instant, after everything due up to it and before anything later. If the instant is now, `look` is called
   * as soon as time is about to pass. This does not change the run: `look` may only query members and add to the trace.
   */
  lookAt(atMicros: number, look: () => void): void;

  /**
   * Carries out a fault now. A start or a disk fault is complete when the promise resolves; a shutdown is complete when the
   * process has ended.
   * @throws RangeError if there is no such member
   * @throws CommandError if a process refuses to start, for example because a parameter is out of bounds
   */
  fault(action: FaultAction): Promise<void> | undefined;

  /** Adds an event of the run itself (a step, a note, a check) to the trace. */
  record(event: RunRecord): void;
  /**
   * Calls `listener` with each trace event in order, the header first. Without listeners no events are built.
   * @param types after the header, only events of these types; default: all
   */
  onTrace(listener: TraceListener, types?: ReadonlySet<TraceEventType>): void;
  /** Closes the disks. The set cannot be used afterwards. */
  close(): Promise<void>;
}

/** The events that a scenario player may record. */
export type RunRecord =
  | ClientTrace
  | LessonTrace
  | StreamTrace
  | Extract<
      RunEvent,
      { type: 'note' | 'step' | 'stepEnded' | 'checked' | 'sometimes' | 'runEnded' | 'invariantBroken' }
    >;

import type { ClientTrace, LessonTrace, RunEvent, StreamTrace, TraceEventType } from '@replsim/protocol';
import type { ClientEnd, Connection, ConnectionListener, MemberStatus, PendingReply, TraceListener } from './api.ts';
import type { FaultAction } from './faults/table.ts';

/**
 * A replica set at work in virtual time; the class in `replSet.ts` implements it.
 * Times are microseconds since time zero. Methods that may touch a real disk return promises; what happens in the run
 * never depends on when these resolve.
 */
export interface ReplicaSetApi {
  /** Where chance comes from. */
  readonly seed: number;
  readonly setName: string;
  /** Time zero, ms since 1970. */
  readonly epochMs: number;
  readonly nowMicros: number;
  readonly memberNames: readonly string[];
  /** Whether a member's process runs, and how. */
  status(member: string): MemberStatus;
  /** A member's own wall clock, ms since 1970. */
  wallMs(member: string): number;
  /** Grows with every event that may change what a member would answer; `eventually` looks again when it moved. */
  readonly changes: number;

  /** Sends a command (BSON, with `$db`) to a running member; it goes on in virtual time. */
  send(member: string, command: Uint8Array): PendingReply;
  /** Asks a running member at this very instant, at no cost in virtual time. For what answers without waiting. */
  ask(member: string, command: Uint8Array): Uint8Array;

  /**
   * A client's end of the network.
   * @param near the member whose place it shares: partitions, cuts, latency and loss of that one's links are its own.
   *   Without it the client stands outside, as the steps do, and reaches every process at once.
   */
  client(name: string, near?: string): ClientEnd;

  /** `HOST:PORT` of a member. */
  hostOf(member: string): string;
  /** Who is at a host, however it is spelled; undefined if no member is. */
  memberAt(host: string): string | undefined;
  /**
   * Opens a connection to a member; undefined if no process runs there.
   * @param remote the client's address and port, as the member's log and `whatsmyuri` show it
   */
  connect(member: string, remote: string, listener: ConnectionListener): Connection | undefined;
  /** Lets time pass until `untilMicros`. */
  advanceTo(untilMicros: number): Promise<void>;
  /**
   * Lets time pass until `done()` holds, at most until `limitMicros`; `done` is called at the start, after each event
   * that moved `changes`, each second of virtual time, and at the end.
   * @returns whether it held
   */
  runUntil(done: () => boolean, limitMicros: number): Promise<boolean>;
  /**
   * Calls `look` at an instant, once all that is due up to it has happened and before anything later does; where that is now, as
   * soon as time is to pass. No event of the run moves for it: `look` may ask members and add to the trace, and no more.
   */
  lookAt(atMicros: number, look: () => void): void;

  /**
   * Does something to the set from outside, now. A start and what is done to a disk are over when the promise resolves; a
   * shutdown is once the process has ended.
   * @throws RangeError for a member that there is not; CommandError when a process refuses to start, e.g. for a parameter
   *   out of bounds
   */
  fault(action: FaultAction): Promise<void> | undefined;

  /** Adds an event of the run itself (a step, a note, a check) to the trace. */
  record(event: RunRecord): void;
  /**
   * Called for each trace event in order, the header first. Without listeners events are not built.
   * @param types all that it is to hear of besides; everything if absent
   */
  onTrace(listener: TraceListener, types?: ReadonlySet<TraceEventType>): void;
  /** Closes the disks. The set cannot be used afterwards. */
  close(): Promise<void>;
}

/** The events that the player of a scenario may record. */
export type RunRecord =
  | ClientTrace
  | LessonTrace
  | StreamTrace
  | Extract<RunEvent, { type: 'note' | 'step' | 'stepEnded' | 'checked' | 'runEnded' | 'invariantBroken' }>;

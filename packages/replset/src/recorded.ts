import type { ConnectionPeer, ConnectionRefusal } from '@replsim/protocol';
import type { FaultAction } from './faults/table.ts';

/**
 * One thing that came from outside while a set was at work, with the virtual time at which it came. In their order they
 * make the same run again, byte for byte, if each was done as it will be done again: first everything happened that was
 * due up to `atMicros`, then the thing itself, and a start or a change of a disk had ended before the next.
 */
export type Recorded = RecordedInput & { readonly atMicros: number };

/** Each is one call of a method of `ReplicaSetApi` or of `Connection`. */
export type RecordedInput =
  /** `connection` counts from 1, in order of opening, through the whole run; those that no process took are not recorded. */
  | RecordedConnect
  /** How the connection is secured: before the first request. */
  | { readonly type: 'secured'; readonly connection: number; readonly peer: ConnectionPeer }
  /** The member's port has closed the connection: nothing comes on it. */
  | { readonly type: 'refused'; readonly connection: number; readonly refusal: ConnectionRefusal }
  | ({ readonly type: 'send'; readonly connection: number; readonly command: Uint8Array } & SendFlags)
  /** `request`: which of those that were sent on this connection, from 1. */
  | { readonly type: 'awaitEnded'; readonly connection: number; readonly request: number }
  /** The client closes its connection. A connection that the member closed is not recorded: that happens again by itself. */
  | { readonly type: 'hangUp'; readonly connection: number }
  /** A command without a connection: `ReplicaSetApi.send`. */
  | { readonly type: 'command'; readonly member: string; readonly command: Uint8Array }
  /** Whether a process came up or refused to is not recorded: that happens again by itself. */
  | FaultAction;

interface RecordedConnect {
  readonly type: 'connect';
  readonly connection: number;
  readonly member: string;
  readonly remote: string;
  /** The member's port has closed it at once, because it had too many: nothing comes on it. */
  readonly rejected?: boolean;
}

/** The flags of `Connection.send`. */
interface SendFlags {
  readonly exhaustAllowed?: boolean;
  readonly moreToCome?: boolean;
}

/** What members are asked at an instant. */
export type Look =
  /** The documents of a collection; of the first one where none is named. */
  | { readonly kind: 'data'; readonly atMicros: number; readonly ns?: string }
  | { readonly kind: 'status'; readonly atMicros: number; readonly member: string }
  | { readonly kind: 'expiry'; readonly atMicros: number };

/** What they answered. */
export type Seen = DataSeen | StatusSeen | ExpirySeen;

/** How a member could be asked: a process that stands still answers nobody, and of one that is down there is only its disk. */
export type Presence = 'running' | 'paused' | 'down';

/** A collection as each member has it. */
export interface DataSeen {
  readonly kind: 'data';
  readonly atMicros: number;
  /** All that any member has, but for `local`, which is each member's own; those of users first. */
  readonly collections: readonly string[];
  /** The one that was looked at; undefined where there is none. */
  readonly ns: string | undefined;
  readonly columns: readonly DataColumn[];
  readonly rows: readonly DataRow[];
  /** How many documents of a member are not shown, at the most. */
  readonly more: number;
  readonly indexes: readonly IndexSeen[];
}

/** One member's part of a collection. */
export interface DataColumn {
  readonly member: string;
  readonly presence: Presence;
  /** How many documents it has; undefined where it could not be asked. */
  readonly count?: number;
  /** Why nothing of it is shown. */
  readonly silence?: string;
}

/** A document as each member has it, in the order of the columns. */
export interface DataRow {
  /** As mongosh writes it. */
  readonly idText: string;
  /** `{_id: …}` as canonical Extended JSON, for whoever asks about it. */
  readonly id: string;
  readonly cells: readonly (DataCell | undefined)[];
}

/** A document on a member, or that it is not there. */
export interface DataCell {
  /** As mongosh writes it; undefined where the member has no such document. */
  readonly text?: string;
  /** How it differs from what the first member to be compared with has, in words. */
  readonly unlike?: string;
  /** Since when it is due, by which index, and why it is still there. */
  readonly expired?: string;
}

/** An index of the collection, and who has it. */
export interface IndexSeen {
  readonly text: string;
  readonly members: readonly string[];
}

/** What a member says of the set. */
export interface StatusSeen {
  readonly kind: 'status';
  readonly atMicros: number;
  readonly member: string;
  readonly presence: Presence;
  /** Why it says nothing. */
  readonly silence?: string;
  readonly members: readonly StatusRow[];
  /** The whole answer to `replSetGetStatus`, as relaxed Extended JSON; empty where there is none. */
  readonly status: string;
  /** `serverStatus().metrics.ttl`, in the same way. */
  readonly ttl: string;
}

/** A member as another one sees it; empty texts are what it does not say. */
export interface StatusRow {
  readonly name: string;
  readonly stateStr: string;
  readonly health: string;
  readonly optime: string;
  readonly syncSourceHost: string;
  readonly lastHeartbeatRecv: string;
  readonly message: string;
}

/** What TTL indexes have to do, and who does it. */
export interface ExpirySeen {
  readonly kind: 'expiry';
  readonly atMicros: number;
  readonly indexes: readonly ExpiryRow[];
  readonly monitors: readonly MonitorRow[];
}

/** One TTL index, or a collection with the option. */
export interface ExpiryRow {
  readonly ns: string;
  readonly index: string;
  /** Undefined where the member that was asked has no such index any more, or no number in it. */
  readonly expireAfterSeconds?: number;
  /** Who was asked what is due. */
  readonly on?: string;
  /** How many documents have expired, by a clock that goes right, and are still there. */
  readonly due?: number;
  /** How long the oldest of them has been due, and what it waited for. */
  readonly oldest?: string;
  /** How late primaries deleted documents so far, and what these waited for. */
  readonly gone: string;
  /** The same up to when they were gone from each member, with what is still there. */
  readonly members: readonly string[];
}

/** A member's TTL monitor. */
export interface MonitorRow {
  readonly member: string;
  /** What it is doing, and what keeps it from deleting. */
  readonly sentences: readonly string[];
  /** Of `serverStatus().metrics.ttl`; undefined where the member does not answer. */
  readonly passes?: number;
  readonly deletedDocuments?: number;
}

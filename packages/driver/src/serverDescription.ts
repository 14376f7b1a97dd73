/** What a driver takes a server for. Upstream: the server discovery and monitoring specification, ServerType. */
export type ServerType = 'Unknown' | 'Standalone' | 'RSPrimary' | 'RSSecondary' | 'RSArbiter' | 'RSOther' | 'RSGhost';

/** Which process said something, and how much had changed there by then. */
export interface TopologyVersion {
  /** Hex. */
  readonly processId: string;
  readonly counter: bigint;
}

/** What a client knows of one server, by that one's latest `hello`. Upstream: the same specification, ServerDescription. */
export interface ServerDescription {
  /** `host:port`. */
  readonly address: string;
  readonly type: ServerType;
  readonly setName?: string;
  readonly setVersion?: number;
  /** Hex, so that it compares as text. */
  readonly electionId?: string;
  /** Everybody in the config that the server shows: hosts, passives, arbiters. */
  readonly hosts: readonly string[];
  /** What it calls itself. */
  readonly me?: string;
  readonly tags: Readonly<Record<string, string>>;
  /** `lastWrite.lastWriteDate`, ms since 1970. */
  readonly lastWriteMs?: number;
  /** Hex and number, from the hello or from the error that made it Unknown. */
  readonly topologyVersion?: TopologyVersion;
  /** When the hello arrived. */
  readonly lastUpdateMicros: number;
  /** Mean round trip of its hellos; undefined before the first. */
  readonly roundTripMicros?: number;
  readonly logicalSessions: boolean;
  /** Why it is Unknown. */
  readonly error?: string;
}

/** A server of which nothing is known, or nothing any more. */
export function unknownServer(address: string, atMicros: number, error?: string): ServerDescription {
  return {
    address,
    type: 'Unknown',
    hosts: [],
    tags: {},
    lastUpdateMicros: atMicros,
    logicalSessions: false,
    ...(error !== undefined && { error }),
  };
}

/** A `hello` reply with promoted values. */
export type HelloReply = Readonly<Record<string, unknown>>;

/**
 * Reads a server's `hello`.
 * @param reply with numbers promoted; one that is not ok makes the server Unknown
 */
export function describeServer(
  address: string,
  reply: HelloReply,
  atMicros: number,
  roundTripMicros?: number,
): ServerDescription {
  if (reply.ok !== 1) return unknownServer(address, atMicros, String(reply.errmsg ?? 'the hello failed'));
  const { setName, setVersion, electionId, me, tags, lastWrite } = reply;
  const topologyVersion = readTopologyVersion(reply.topologyVersion);
  const lastWriteDate = (lastWrite as { lastWriteDate?: Date } | undefined)?.lastWriteDate;
  return {
    address,
    type: typeOf(reply),
    ...(typeof setName === 'string' && { setName }),
    ...(setVersion !== undefined && { setVersion: Number(setVersion) }),
    ...(electionId !== undefined && { electionId: String(electionId) }),
    hosts: [reply.hosts, reply.passives, reply.arbiters].flatMap((list) => (list as string[] | undefined) ?? []),
    ...(typeof me === 'string' && { me }),
    tags: (tags as Record<string, string> | undefined) ?? {},
    ...(lastWriteDate && { lastWriteMs: lastWriteDate.getTime() }),
    ...(topologyVersion && { topologyVersion }),
    lastUpdateMicros: atMicros,
    ...(roundTripMicros !== undefined && { roundTripMicros }),
    logicalSessions: reply.logicalSessionTimeoutMinutes !== undefined,
  };
}

function typeOf(reply: HelloReply): ServerType {
  if (reply.isreplicaset === true) return 'RSGhost';
  if (typeof reply.setName !== 'string') return 'Standalone';
  if (reply.isWritablePrimary === true) return 'RSPrimary';
  if (reply.hidden === true) return 'RSOther';
  if (reply.secondary === true) return 'RSSecondary';
  return reply.arbiterOnly === true ? 'RSArbiter' : 'RSOther';
}

/** `{ processId, counter }` of a reply. */
export function readTopologyVersion(value: unknown): TopologyVersion | undefined {
  const { processId, counter } = (value ?? {}) as { processId?: unknown; counter?: unknown };
  if (processId === undefined || counter === undefined) return undefined;
  return { processId: String(processId), counter: BigInt(String(counter)) };
}

/** Whether what carries `given` is no news to somebody who knows `known`; of another process everything is news. */
export function isStale(
  given: TopologyVersion | undefined,
  known: TopologyVersion | undefined,
  { orEqual }: { readonly orEqual: boolean },
): boolean {
  if (!given || !known || given.processId !== known.processId) return false;
  return given.counter < known.counter || (orEqual && given.counter === known.counter);
}

import { bytesOf, type CommandArguments, Fields } from '@replsim/pipeline';
import { BsonType, CommandError } from '@replsim/protocol';

/** What a client knows already, and how long it is content to wait for news. */
export interface AwaitedTopology {
  readonly processId: Uint8Array;
  readonly counter: bigint;
  readonly maxAwaitTimeMS: number;
}

/** Which life of the process answers, and how often what `hello` shows has changed in it. */
export interface TopologyVersion {
  readonly processId: Uint8Array;
  readonly counter: number;
}

/**
 * Reads the two fields that make a `hello` wait; undefined if it is to be answered at once.
 * Errors: 31368 for one without the other, 31372 and 31373 for negative ones, 51756 if the client wants to be streamed to
 * but does not say how long it waits. Upstream: replication_info.cpp, CmdHello.
 */
export function awaitedTopology(args: CommandArguments, exhaustAllowed: boolean): AwaitedTopology | undefined {
  const topologyVersion = args.document('topologyVersion');
  const maxAwaitTimeMS = args.int64('maxAwaitTimeMS');
  if (exhaustAllowed && maxAwaitTimeMS === undefined) {
    throw new CommandError(51756, "'exhaustAllowed' flag is set, but 'maxAwaitTimeMS' is not");
  }
  if (topologyVersion === undefined && maxAwaitTimeMS === undefined) return undefined;
  if (topologyVersion === undefined || maxAwaitTimeMS === undefined) {
    throw new CommandError(
      31368,
      "a request with 'topologyVersion' must have 'maxAwaitTimeMS', and the other way round",
    );
  }
  const { processId, counter } = readTopologyVersion(topologyVersion);
  if (counter < 0n) throw new CommandError(31372, 'topologyVersion must have a non-negative counter');
  if (maxAwaitTimeMS < 0n) throw new CommandError(31373, 'maxAwaitTimeMS must be a non-negative integer');
  return { processId, counter, maxAwaitTimeMS: Number(maxAwaitTimeMS) };
}

/**
 * Whether the client has seen all there is, so that it has to wait. Throws 31382 if it claims to have seen more.
 * Upstream: ReplicationCoordinatorImpl::awaitHelloResponse.
 */
export function knowsTheNewest(awaited: AwaitedTopology, own: TopologyVersion): boolean {
  const sameProcess = awaited.processId.every((byte, i) => byte === own.processId[i]);
  if (!sameProcess) return false;
  if (awaited.counter > BigInt(own.counter)) {
    throw new CommandError(
      31382,
      `Received a topology version with counter: ${awaited.counter} which is greater than the server topology version counter: ${own.counter}`,
    );
  }
  return awaited.counter === BigInt(own.counter);
}

function readTopologyVersion(bytes: Uint8Array): { readonly processId: Uint8Array; readonly counter: bigint } {
  const fields = new Fields(bytes, 'TopologyVersion');
  const processId = fields.value('processId') ?? fields.missing('processId');
  if (processId.type !== BsonType.objectId) {
    throw new CommandError('TypeMismatch', "BSON field 'TopologyVersion.processId' is not an objectId");
  }
  const counter = fields.int64('counter') ?? fields.missing('counter');
  return { processId: bytesOf(processId), counter };
}

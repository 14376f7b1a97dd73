import type { Random } from '@replsim/kernel';
import { encodeDocument } from '@replsim/protocol';
import { Binary, Timestamp } from 'bson';
import { headOf } from './replyHead.ts';

/**
 * A logical session: the numbers of its retryable writes, and the time of the latest operation in it.
 * Upstream: the driver sessions and causal consistency specifications.
 */
export class ClientSession {
  readonly id: Binary;
  readonly causal: boolean;
  #txnNumber = 0n;
  #operationTime: Timestamp | undefined;

  /** @param causal explicit sessions are causally consistent unless told otherwise, implicit ones never */
  constructor(random: Random, { causal }: { readonly causal: boolean }) {
    this.id = uuid(random);
    this.causal = causal;
  }

  get lsid(): { id: Binary } {
    return { id: this.id };
  }

  /** The transaction that was begun last; undefined once something else was sent. */
  transaction: ClientTransaction | undefined;

  /** The number for the next retryable write, or transaction. */
  nextTxnNumber(): bigint {
    this.#txnNumber += 1n;
    return this.#txnNumber;
  }

  /** After which a causally consistent read must be; undefined before the first answer, and where causality is not asked for. */
  get afterClusterTime(): Timestamp | undefined {
    return this.causal ? this.#operationTime : undefined;
  }

  /** Takes in a reply's `operationTime`. */
  advance(operationTime: Timestamp | undefined): void {
    if (operationTime && (!this.#operationTime || operationTime.greaterThan(this.#operationTime)))
      this.#operationTime = operationTime;
  }
}

/** A transaction as its client knows it. Upstream: the transactions specification. */
export interface ClientTransaction {
  readonly txnNumber: bigint;
  /** `starting`: nothing has been sent; `ended`: its commit or abort has. */
  state: 'starting' | 'inProgress' | 'ended';
  readonly readConcern: unknown;
  readonly writeConcern: unknown;
  /** Sent as `maxTimeMS` with the commit. */
  readonly maxCommitTimeMS: unknown;
}

/** What an application says of a transaction before it begins. */
export interface TransactionOptions {
  readonly readConcern?: ReadonlyMap<string, unknown> | undefined;
  readonly writeConcern?: ReadonlyMap<string, unknown> | undefined;
  /** Sent as `maxTimeMS` with the commit. Unit: ms. */
  readonly maxCommitTimeMS?: unknown;
}

/** The write concern of a commit that is sent again: a majority, and not for ever. Upstream: the transactions specification. */
export function commitAgainConcern(writeConcern: unknown): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['w', 'majority'],
    ['wtimeout', 10_000],
    ...(writeConcern instanceof Map ? writeConcern : []),
    ['w', 'majority'],
  ]);
}

/** The cluster time that a client passes on from member to member. Upstream: `$clusterTime` gossip. */
export class ClusterClock {
  #newest: { readonly clusterTime: Timestamp } | undefined;

  /** `$clusterTime` for the next command. */
  get newest(): object | undefined {
    return this.#newest;
  }

  advance(given: { readonly clusterTime: Timestamp } | undefined): void {
    if (given && (!this.#newest || given.clusterTime.greaterThan(this.#newest.clusterTime))) this.#newest = given;
  }
}

/** Whether the client waits to hear what became of a command: with `w: 0` it does not, and sends it in no session. */
export function isAcknowledged(command: ReadonlyMap<string, unknown>): boolean {
  const writeConcern = command.get('writeConcern');
  return !(writeConcern instanceof Map && writeConcern.get('w') === 0);
}

/** The times that a reply carries. */
export function timesOf(reply: Uint8Array): {
  readonly operationTime: Timestamp | undefined;
  readonly $clusterTime: { readonly clusterTime: Timestamp } | undefined;
} {
  const { operationTime, $clusterTime } = headOf(reply);
  return {
    operationTime: operationTime instanceof Timestamp ? operationTime : undefined,
    $clusterTime: $clusterTime?.clusterTime instanceof Timestamp ? $clusterTime : undefined,
  };
}

/** A version 4 UUID from the run's seed: chance of the real kind would make every run another one. */
function uuid(random: Random): Binary {
  const bytes = random.bytes(16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x40;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return new Binary(bytes, Binary.SUBTYPE_UUID);
}

/** A command with more fields at its end. */
export function withFields(command: ReadonlyMap<string, unknown>, fields: object): Uint8Array {
  return encodeDocument(new Map([...command, ...Object.entries(fields)]));
}

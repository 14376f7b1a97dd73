import { haveOneProof, isProofOf, timeProof } from '@replsim/access';
import { CommandError, decodeDocument, decodePromoted, type Timestamp } from '@replsim/protocol';
import { Binary, type Timestamp as BsonTimestamp, Long } from 'bson';
import type { Core } from '../core/core.ts';

const KEYS_NS = 'admin.system.keys';

/** As `$clusterTime` has it beside the time. */
export interface TimeSignature {
  readonly hash: Binary;
  readonly keyId: Long;
}

/** What a cluster time has that nobody has signed. */
export const NO_SIGNATURE: TimeSignature = { hash: new Binary(new Uint8Array(20)), keyId: Long.ZERO };

/** One of `admin.system.keys`. */
interface Key {
  readonly id: Long;
  readonly key: Uint8Array;
  readonly expiresAt: BsonTimestamp;
}

/**
 * Signs the cluster times that clients pass on from member to member, and knows those that members have signed: the key is in the data
 * that all of them have. Upstream: logical_time_validator.cpp; keys_collection_manager.cpp.
 */
export class TimeProofs {
  readonly #core: Core;
  #last: { readonly time: Timestamp; readonly signature: TimeSignature } | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  /** As long as there is no key, nothing is signed. */
  sign(time: Timestamp): TimeSignature {
    if (this.#last && haveOneProof(this.#last.time, time)) return this.#last.signature;
    const keys = this.#keys();
    const key = keys.find(({ expiresAt }) => expiresAt.high >>> 0 > time.t) ?? keys.at(-1);
    if (!key) return NO_SIGNATURE;
    const signature = { hash: new Binary(timeProof(key.key, time)), keyId: key.id };
    this.#last = { time, signature };
    return signature;
  }

  /**
   * A member that has no key yet believes everybody who has logged in.
   * Errors: KeyNotFound 211 for a key that no member has, as that of a time which nobody has signed; TimeProofMismatch 204.
   * @param given `$clusterTime`
   */
  check(time: Timestamp, given: Uint8Array): void {
    const { signature } = decodePromoted(given);
    const keyId = Long.fromValue(signature?.keyId ?? 0);
    const keys = this.#keys();
    if (keys.length === 0) return;
    const known = keys.find(({ id }) => id.equals(keyId));
    if (!known) {
      throw new CommandError(
        'KeyNotFound',
        `No keys found for HMAC that is valid for time: { ts: Timestamp(${time.t}, ${time.i}) } with id: ${keyId}`,
      );
    }
    const proof = signature?.hash instanceof Binary ? signature.hash.buffer : new Uint8Array();
    if (isProofOf(known.key, time, proof)) return;
    throw new CommandError('TimeProofMismatch', 'Proof does not match the cluster time');
  }

  /** A key never changes, but more may come, and a rollback may take one back. */
  #keys(): readonly Key[] {
    const records = this.#core.engine.collection(KEYS_NS)?.records();
    const keys: Key[] = [];
    while (records?.next()) {
      const { _id: id, key, expiresAt } = decodeDocument(records.document.bytes);
      keys.push({ id, key: key.buffer, expiresAt });
    }
    return keys;
  }
}

import { BsonType, type BsonValue, readInt32 } from '@replsim/protocol';
import { isNotANumber } from './expiry.ts';
import { listedExpireAfterSeconds } from './ttlIndex.ts';

/**
 * What a new primary of line A stores in place of an option that older releases let through: 2147483647 for an invalid
 * one, the whole seconds for one that is no int32; undefined if the value is fine.
 * Upstream: TTLCollectionCache::Info, ExpireAfterSecondsType; ttl.cpp, the fixer that onStepUp starts.
 */
export function repairedExpireAfterSeconds(raw: BsonValue): number | undefined {
  const repaired = listedExpireAfterSeconds(raw);
  const asItShouldBe = raw.type === BsonType.int && readInt32(raw.bytes, raw.offset) === repaired;
  return asItShouldBe ? undefined : repaired;
}

/** Whether a stored option is NaN, for which mongod warns at startup. Upstream: startup warning 6852200. */
export function isNaNOption(raw: BsonValue): boolean {
  return isNotANumber(raw);
}

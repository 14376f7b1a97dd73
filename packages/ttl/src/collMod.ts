import { type BsonValue, CommandError, type VersionTraits } from '@replsim/protocol';
import { isNumeric, MAX_EXPIRE_AFTER_SECONDS, truncateSeconds } from './expiry.ts';
import { bsonTypeName } from './specText.ts';
import { isIdKey, listedExpireAfterSeconds, type TtlIndexSpec } from './ttlIndex.ts';

/**
 * `index.expireAfterSeconds` as the parser reads it: an int32, fraction dropped, clamped to the range; NaN is 0.
 * So collMod takes what createIndexes refuses. Throws CommandError 14 if it is not a number; a negative result is
 * refused later, by `checkCollModSeconds`. Before the parser was made of an IDL the error was 72.
 * Upstream: coll_mod.idl, type safeInt; coll_mod.cpp of 4.4.
 */
export function collModSeconds(value: BsonValue, traits: VersionTraits): number {
  if (!isNumeric(value)) {
    if (!traits.ttlConversion) throw invalid('expireAfterSeconds field must be a number');
    const field = 'collMod.index.expireAfterSeconds';
    throw new CommandError('TypeMismatch', `field '${field}' must be a number, not '${bsonTypeName(value.type)}'`);
  }
  const seconds = Number(truncateSeconds(value));
  return Math.max(-MAX_EXPIRE_AFTER_SECONDS - 1, Math.min(MAX_EXPIRE_AFTER_SECONDS, seconds));
}

/** Throws CommandError 72 on a negative number; collMod asks this just before it looks the index up. */
export function checkCollModSeconds(seconds: number): void {
  if (seconds < 0) throw invalid("'expireAfterSeconds' cannot be less than 0");
}

/**
 * Whether indexes of this collection can be given an `expireAfterSeconds` at all; asked before the value is looked at.
 * Throws CommandError 72. Upstream: coll_mod.cpp, parseCollModRequest.
 */
export function checkCollModCollection(
  { capped, timeseries }: { readonly capped: boolean; readonly timeseries: boolean },
  traits: VersionTraits,
): void {
  if (timeseries) {
    throw invalid("TTL indexes of a time series stay as they are; the top-level 'expireAfterSeconds' can change");
  }
  if (capped && !traits.ttlOnCapped) throw invalid('a capped collection cannot have a TTL index');
}

/**
 * Whether the index that collMod found can be given a new `expireAfterSeconds`; special types can, and are then passed
 * over by the monitor. Throws CommandError 72. Upstream: coll_mod.cpp, parseCollModRequest.
 */
export function checkCollModIndex(index: TtlIndexSpec, traits: VersionTraits): void {
  const old = index.expireAfterSeconds;
  if (old === undefined) {
    if (!traits.ttlConversion) throw invalid('no expireAfterSeconds field to update');
    if (isIdKey(index.key)) throw invalid('the _id field does not support TTL');
    if (index.key.length !== 1) throw invalid('TTL indexes are on a single field; compound indexes do not support TTL');
  } else if (typeof old !== 'number' && !isNumeric(old)) {
    throw invalid('existing expireAfterSeconds field is not a number');
  }
}

/** The reply's fields, to be sent as longs: no `_old` if the index was not TTL, 0 if its old value was invalid. */
export function collModReply(
  old: BsonValue | undefined,
  seconds: number,
): { readonly expireAfterSeconds_old?: bigint; readonly expireAfterSeconds_new: bigint } {
  if (old === undefined) return { expireAfterSeconds_new: BigInt(seconds) };
  const truncated = truncateSeconds(old);
  const valid = BigInt(listedExpireAfterSeconds(old)) === truncated;
  return { expireAfterSeconds_old: valid ? truncated : 0n, expireAfterSeconds_new: BigInt(seconds) };
}

function invalid(errmsg: string): CommandError {
  return new CommandError('InvalidOptions', errmsg);
}

import { BsonWriter, decodePromoted, type LogLine, type VersionTraits } from '@replsim/protocol';
import type { IndexSpec } from '@replsim/storage';
import { isInvalidExpireAfterSeconds, listedExpireAfterSeconds } from '@replsim/ttl';
import { Fields } from '../fields/fields.ts';
import { numberOf, truthOf } from '../fields/values.ts';
import type { Reply } from '../reply.ts';

/** The order of the fields; others follow in their own. Upstream: list_indexes.idl, ListIndexesReplyItem. */
// biome-ignore format: a list
const order = ['v', 'key', 'name', 'background', 'unique', 'hidden', 'partialFilterExpression', 'sparse', 'expireAfterSeconds',
  'storageEngine', 'weights', 'default_language', 'language_override', 'textIndexVersion', '2dsphereIndexVersion', 'bits',
  'min', 'max', 'bucketSize', 'collation', 'wildcardProjection', 'prepareUnique'];
/** A number that stands for yes or no is shown as a bool. */
const flags: ReadonlySet<string> = new Set(['background', 'unique', 'sparse', 'prepareUnique']);

/**
 * An index as `listIndexes` shows it: fields in a fixed order, `expireAfterSeconds` as an int32 whatever is stored, an
 * invalid one as the largest valid one; before 5.0 as it is stored.
 */
export function listedSpec(spec: IndexSpec, traits: VersionTraits): Uint8Array {
  const fields = new Fields(spec.bytes, 'index');
  const writer = new BsonWriter(spec.bytes.length + 8);
  const known = order.filter((name) => fields.has(name));
  for (const name of new Set([...known, ...fields.names])) {
    const value = fields.presentValue(name);
    if (name === 'expireAfterSeconds' && !listsRawSeconds(traits)) writer.int32(name, listedExpireAfterSeconds(value));
    else if (name === 'v') writer.int32(name, numberOf(value));
    else if (flags.has(name)) writer.bool(name, truthOf(value));
    else writer.rawValue(name, value);
  }
  return writer.finish();
}

/** Upstream: SERVER-56676. */
function listsRawSeconds({ ttlSeconds }: VersionTraits): boolean {
  return ttlSeconds === 'unchecked' || ttlSeconds === 'sinceEpoch';
}

/** Who is to tell of it: a member, or the core of one. */
interface Logger {
  readonly traits: VersionTraits;
  log(severity: LogLine['severity'], component: string, id: number, msg: string, attr?: Reply): void;
}

/** All specs of a collection as they are shown, with a warning for each whose seconds are not what is stored. */
export function listSpecs(ns: string, specs: readonly IndexSpec[], logger: Logger): Uint8Array[] {
  for (const { bytes, expireAfterSeconds } of specs) {
    if (listsRawSeconds(logger.traits)) break;
    if (!expireAfterSeconds || !isInvalidExpireAfterSeconds(expireAfterSeconds)) continue;
    const attr = { namespace: ns, fieldName: 'expireAfterSeconds', indexSpec: decodePromoted(bytes) };
    logger.log('W', 'INDEX', 6835900, 'Showing 2147483647 in place of an invalid expireAfterSeconds', attr);
  }
  return specs.map((spec) => listedSpec(spec, logger.traits));
}

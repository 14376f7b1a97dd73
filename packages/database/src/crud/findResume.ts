import {
  type CommandArguments,
  initialSyncIdIn,
  isEmptyDocument,
  naturalDirection,
  type ScanStart,
} from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, ElementCursor, type VersionTraits } from '@replsim/protocol';
import type { CollectionView, ReadView } from '@replsim/storage';
import { hintOf } from '../reading/query.ts';

/** A scan in the order of record ids that tells where it is, so that another goes on from there. */
export interface ResumableScan {
  /** What came with `$_resumeAfter` or `$_startAt`; undefined to begin at the first record. */
  readonly sent: { readonly field: '$_resumeAfter' | '$_startAt'; readonly token: Uint8Array } | undefined;
}

const FIELDS = ['$_resumeAfter', '$_startAt'] as const;
/** The first `maxWireVersion` of a release. */
const [V4_4, V6_0, V7_0, V8_0] = [9, 17, 21, 25] as const;

/**
 * What a find says of resuming, looked at without its collection. Undefined where it says nothing.
 * Errors: IDLUnknownField 40415 for what the release does not have; BadValue 2. Upstream: query_request_helper.cpp,
 * validateFindCommandRequest. `$_startAt` came with 8.0 and late patches of 7.0.
 */
export function parseResuming(args: CommandArguments, { maxWireVersion }: VersionTraits): ResumableScan | undefined {
  for (const [name, since] of [
    ['$_requestResumeToken', V4_4] as const,
    [FIELDS[0], V4_4] as const,
    [FIELDS[1], V8_0] as const,
  ])
    if (maxWireVersion < since && args.has(name))
      throw new CommandError(40415, `BSON field 'find.${name}' is an unknown field.`);
  const sent = FIELDS.flatMap((field) => {
    const token = args.document(field);
    return token && !isEmptyDocument(token) ? [{ field, token }] : [];
  });
  const [first] = sent;
  if (!args.strictBool('$_requestResumeToken')) {
    if (first) throw badValue(`'requestResumeToken' must be true if '${first.field.slice(2)}' is specified`);
    return undefined;
  }
  const hint = hintOf(args);
  if (hint?.type !== BsonType.object || naturalDirection(hint) !== 1)
    throw badValue("hint must be {$natural:1} if 'requestResumeToken' is enabled");
  const sort = args.document('sort');
  if (sort && !isEmptyDocument(sort) && naturalDirection(sort) !== 1)
    throw badValue("sort must be unset or {$natural:1} if 'requestResumeToken' is enabled");
  if (sent.length > 1) throw badValue("Cannot set both '$_resumeAfter' and '$_startAt'");
  if (first && args.strictBool('tailable')) throw badValue(`'${first.field}' does not go with a tailable cursor`);
  return { sent: first };
}

/** Tokens name the copy of the data, from 8.0 on. Upstream: collection_scan.cpp, getPostBatchResumeToken. */
export function tokensNameCopy({ maxWireVersion }: VersionTraits): boolean {
  return maxWireVersion >= V8_0;
}

/**
 * Where the scan begins. Errors: BadValue 2 for a token of another form, Location7738600 for one of another kind of collection,
 * Location8132701 for one from before this member's data were copied anew. Upstream: query_request_helper.cpp, validateResumeInput.
 */
export function scanStart(
  { sent }: ResumableScan,
  data: ReadView,
  collection: CollectionView | undefined,
  { maxWireVersion }: VersionTraits,
): ScanStart | undefined {
  if (!sent) return undefined;
  const { field, token } = sent;
  const fields = new Map(namedValues(token));
  const recordId = fields.get('$recordId');
  const syncId = fields.get('$initialSyncId');
  checkForm(fields, maxWireVersion);
  if (syncId && !isSame(syncId, initialSyncIdIn(data)))
    throw new CommandError(8132701, '$initialSyncId mismatch, the query is no longer resumable.');
  const isClustered = collection?.clusteredIndex !== undefined;
  if (maxWireVersion >= V7_0 && recordId?.type === (isClustered ? BsonType.long : BsonType.binData)) {
    throw new CommandError(
      7738600,
      `The '${field}' parameter must match collection type. Clustered collections have a BinData recordId, all others a Long one`,
    );
  }
  return { recordId: recordId?.type === BsonType.null ? undefined : recordId, tolerant: field === '$_startAt' };
}

function checkForm(fields: ReadonlyMap<string, BsonValue>, maxWireVersion: number): void {
  const type = fields.get('$recordId')?.type;
  const other = maxWireVersion < V6_0 ? BsonType.objectId : BsonType.binData;
  const isRecordId = type === BsonType.long || type === BsonType.null || type === other;
  const sync = fields.get('$initialSyncId');
  const mayHaveSync = maxWireVersion >= V8_0 && (!sync || isUuid(sync));
  if (isRecordId && (fields.size === 1 || (fields.size === 2 && sync && mayHaveSync))) return;
  const kinds = `'$recordId', of type NumberLong, ${maxWireVersion < V6_0 ? 'jstOID' : 'BinData'} or jstNULL`;
  const exact = maxWireVersion < V8_0 ? 'exactly one field named ' : '';
  const more = maxWireVersion < V8_0 ? '' : " and optional '$initialSyncId of type BinData";
  throw badValue(`Malformed resume token: the '_resumeAfter' object must contain ${exact}${kinds}${more}.`);
}

function isUuid({ type, bytes, offset }: BsonValue): boolean {
  return type === BsonType.binData && bytes[offset + 4] === 4;
}

function isSame(value: BsonValue, id: BsonValue | undefined): boolean {
  const text = ({ bytes, offset, size }: BsonValue) => bytes.subarray(offset, offset + size).join();
  return id !== undefined && text(value) === text(id);
}

function* namedValues(document: Uint8Array): Generator<[name: string, value: BsonValue]> {
  const cursor = new ElementCursor(document);
  while (cursor.next()) yield [cursor.name, cursor.value()];
}

function badValue(errmsg: string): CommandError {
  return new CommandError('BadValue', errmsg);
}

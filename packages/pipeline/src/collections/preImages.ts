/** What documents were before they were changed, kept for change streams. Upstream: change_stream_preimage.idl. */
import {
  BsonType,
  BsonWriter,
  encodeName,
  findField,
  PRE_IMAGES_NS,
  readInt64AsNumber,
  readTimestamp,
  requiredField,
  type Timestamp,
} from '@replsim/protocol';
import { type CollectionView, encodeKey, type ReadView, StoredDocument } from '@replsim/storage';
import { isEmptyDocument } from '../fields/documents.ts';

const OPTION = encodeName('changeStreamPreAndPostImages');
const ENABLED = encodeName('enabled');
const ID = encodeName('_id');
const UUID = encodeName('nsUUID');
const TS = encodeName('ts');
const OPERATION_TIME = encodeName('operationTime');
const PRE_IMAGE = encodeName('preImage');

/**
 * Whether the collection keeps what documents were before they were changed. Each document is then deleted by itself.
 * Upstream: collection.h, Collection::isChangeStreamPreAndPostImagesEnabled.
 */
export function keepsPreImages({ options }: Pick<CollectionView, 'options'>): boolean {
  // Nearly all collections have no options at all.
  const option = isEmptyDocument(options) ? undefined : findField(options, OPTION);
  const enabled = option?.type === BsonType.object ? findField(option.bytes, ENABLED, option.offset) : undefined;
  return enabled?.type === BsonType.bool && enabled.bytes[enabled.offset] === 1;
}

/** Which change an image is of. */
export interface PreImageKey {
  /** Of the collection, 16 bytes. */
  readonly uuid: Uint8Array;
  /** Of the entry in which the change stands. */
  readonly ts: Timestamp;
  /** Its place there; 0 for a change alone. */
  readonly applyOpsIndex: number;
}

/** An image as it is stored: `{ _id, operationTime, preImage }`. @param wallMs of the entry */
export function preImageDocument(key: PreImageKey, wallMs: number, preImage: Uint8Array): StoredDocument {
  const writer = new BsonWriter(preImage.length + 128);
  writeId(writer, key);
  writer.date('operationTime', wallMs);
  writer.rawDocument('preImage', preImage);
  return new StoredDocument(writer.finish());
}

/** The image of a change, BSON, if it is kept. */
export function findPreImage(view: ReadView, key: PreImageKey): Uint8Array | undefined {
  const images = view.collection(PRE_IMAGES_NS);
  if (!images) return undefined;
  const writer = new BsonWriter(96);
  writeId(writer, key);
  const recordId = images.findById(encodeKey(requiredField(writer.finish(), ID)));
  const stored = recordId === undefined ? undefined : images.get(recordId);
  if (!stored) return undefined;
  const { bytes, offset, size } = requiredField(stored.bytes, PRE_IMAGE);
  return bytes.subarray(offset, offset + size);
}

/** How old an image is: of which collection and entry, and when that was written. Unit of the latter: ms since 1970. */
export function preImageAge(
  stored: Uint8Array,
): Omit<PreImageKey, 'applyOpsIndex'> & { readonly operationTimeMs: number } {
  const id = requiredField(stored, ID);
  const uuid = requiredField(stored, UUID, id.offset);
  const operationTime = requiredField(stored, OPERATION_TIME);
  return {
    uuid: stored.subarray(uuid.offset + 5, uuid.offset + uuid.size),
    ts: readTimestamp(requiredField(stored, TS, id.offset)),
    operationTimeMs: readInt64AsNumber(stored, operationTime.offset),
  };
}

function writeId(writer: BsonWriter, { uuid, ts, applyOpsIndex }: PreImageKey): void {
  writer.beginDocument('_id');
  writer.binary('nsUUID', 4, uuid);
  writer.timestamp('ts', ts);
  writer.int64('applyOpsIndex', applyOpsIndex);
  writer.endDocument();
}

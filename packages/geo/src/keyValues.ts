/** Values that stand in the keys of an index in the place of what a document holds. */
import { type BsonValue, BsonWriter, requiredField } from '@replsim/protocol';

const NO_NAME = new Uint8Array(0);
/** Upstream: BinDataType, bdtCustom. */
const CUSTOM_SUBTYPE = 128;

/** A cell of the sphere: a 64-bit integer. */
export function cellValue(cell: bigint): BsonValue {
  const writer = new BsonWriter(32);
  writer.int64('', cell);
  return requiredField(writer.finish(), NO_NAME);
}

/** A square of the plane: eight bytes, the highest first. */
export function hashValue(hash: bigint): BsonValue {
  const data = new Uint8Array(8);
  new DataView(data.buffer).setBigUint64(0, hash);
  const writer = new BsonWriter(32);
  writer.binary('', CUSTOM_SUBTYPE, data);
  return requiredField(writer.finish(), NO_NAME);
}

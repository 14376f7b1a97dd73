export {
  BsonType,
  type BsonValue,
  cStringEnd,
  ElementCursor,
  encodeName,
  findField,
  readDouble,
  readInt32,
  readInt64,
  readInt64AsNumber,
  readUtf8,
  valueSize,
} from './bson/element.ts';
export { CommandError, codeNameOf, type ErrorCodeName, ErrorCodes, InvariantError, invariant } from './errors.ts';

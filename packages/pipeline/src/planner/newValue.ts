import { type BsonValue, BsonWriter, requiredField } from '@replsim/protocol';

const NO_NAME = new Uint8Array(0);

/** One value of its own; the callback writes exactly one element under the name it is given. */
export function newValue(write: (writer: BsonWriter, name: string) => void): BsonValue {
  const writer = new BsonWriter(32);
  write(writer, '');
  return requiredField(writer.finish(), NO_NAME);
}

import { BsonType, BytePool, readInt32 } from '@replsim/protocol';
import { writeInt32 } from './messageHeader.ts';

/** Documents back to back, which belong to the command as an array. Offsets into the message. */
export interface DocumentSequence {
  /** The field's name. */
  readonly identifier: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

const commands = new BytePool();

/**
 * The command at `bodyStart` with its sequences attached as arrays, in one new document.
 * @param message whose documents' frames are all sound
 */
export function attachSequences(
  message: Uint8Array,
  bodyStart: number,
  bodyEnd: number,
  sequences: readonly DocumentSequence[],
): Uint8Array {
  const bodyBytes = bodyEnd - bodyStart;
  const command = commands.take(sequences.reduce((sum, sequence) => sum + elementBytes(sequence), bodyBytes));
  command.set(message.subarray(bodyStart, bodyEnd - 1));
  let at = bodyBytes - 1;
  for (const sequence of sequences) at = writeArray(command, at, message, sequence);
  writeInt32(command, 0, command.length);
  return command;
}

/** What a sequence takes as a field: type, name and NUL, then the array. */
function elementBytes({ identifier, start, end, count }: DocumentSequence): number {
  return 1 + identifier.length + 1 + arrayBytes(start, end, count);
}

/** Length, for each document its type, its index and a NUL and itself, then the array's own NUL. */
function arrayBytes(start: number, end: number, count: number): number {
  return 4 + (end - start) + 2 * count + indexDigits(count) + 1;
}

/** How many digits the numbers from 0 to `count - 1` have together. */
function indexDigits(count: number): number {
  let digits = count;
  for (let power = 10; power < count; power *= 10) digits += count - power;
  return digits;
}

/** Writes a sequence's field at `at`; returns where it ends. */
function writeArray(command: Uint8Array, at: number, message: Uint8Array, sequence: DocumentSequence): number {
  const { identifier, start, end, count } = sequence;
  command[at] = BsonType.array;
  command.set(identifier, at + 1);
  const array = at + 1 + identifier.length + 1;
  writeInt32(command, array, arrayBytes(start, end, count));
  return writeDocuments(command, array + 4, message, start, end) + 1;
}

/** Copies the documents between two offsets as an array's elements; returns where the last one ends. */
function writeDocuments(command: Uint8Array, at: number, message: Uint8Array, start: number, end: number): number {
  let target = at;
  let index = 0;
  for (let from = start; from < end; index++) {
    const to = from + readInt32(message, from);
    command[target++] = BsonType.object;
    // The NUL is there already: the bytes are new.
    target = writeDecimal(command, target, index) + 1;
    command.set(message.subarray(from, to), target);
    target += to - from;
    from = to;
  }
  return target;
}

function writeDecimal(bytes: Uint8Array, at: number, value: number): number {
  if (value < 10) {
    bytes[at] = 0x30 + value;
    return at + 1;
  }
  const rest = Math.floor(value / 10);
  const end = writeDecimal(bytes, at, rest);
  bytes[end] = 0x30 + value - rest * 10;
  return end + 1;
}

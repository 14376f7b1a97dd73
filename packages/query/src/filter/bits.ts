/** `$bitsAllSet` and its like. Upstream: expression_leaf.cpp, BitTestMatchExpression. */
import { BsonType, type BsonValue, CommandError, readInt32 } from '@replsim/protocol';
import type { ValueTest } from '../paths.ts';
import { elementsOf, isNumeric, readInteger } from '../values.ts';

const INT64_BITS = 64;

/** @param operator one of the four names, with its dollar */
export function bitsTest(operator: string, operand: BsonValue): ValueTest {
  const positions = parsePositions(operator, operand);
  const wanted = operator.endsWith('Set');
  const all = operator.startsWith('$bitsAll');
  return (type, bytes, offset) => {
    const bitAt = bitReader(type, bytes, offset);
    if (bitAt === undefined) return false;
    const fits = (position: number) => bitAt(position) === wanted;
    return all ? positions.every(fits) : positions.some(fits);
  };
}

/** How to look at a value's bits: an integer is sign-extended, binary data zero-extended; undefined if it has none. */
function bitReader(type: number, bytes: Uint8Array, offset: number): ((position: number) => boolean) | undefined {
  if (type === BsonType.binData) return binaryBitReader(bytes, offset);
  if (!isNumeric(type)) return undefined;
  const value = readInteger({ type, bytes, offset, size: 0 });
  if (value === undefined || BigInt.asIntN(INT64_BITS, value) !== value) return undefined;
  return (position) => ((value >> BigInt(Math.min(position, INT64_BITS - 1))) & 1n) === 1n;
}

function binaryBitReader(bytes: Uint8Array, offset: number): (position: number) => boolean {
  const bits = readInt32(bytes, offset) * 8;
  return (position) => position < bits && ((bytes[offset + 5 + (position >> 3)]! >> (position & 7)) & 1) === 1;
}

function parsePositions(operator: string, operand: BsonValue): number[] {
  if (operand.type === BsonType.array) return elementsOf(operand).map((element) => parsePosition(operator, element));
  if (operand.type === BsonType.binData) {
    const isSet = binaryBitReader(operand.bytes, operand.offset);
    return setBits(readInt32(operand.bytes, operand.offset) * 8, isSet);
  }
  if (!isNumeric(operand.type)) {
    throw new CommandError('BadValue', `${operator} takes an Array, a number, or a BinData`);
  }
  const mask = readInteger(operand);
  if (mask === undefined || mask < 0n || mask >= 1n << 63n) {
    throw new CommandError('FailedToParse', `${operator}: expected a non-negative integer that fits in 64 bits`);
  }
  return setBits(INT64_BITS, (position) => ((mask >> BigInt(position)) & 1n) === 1n);
}

function parsePosition(operator: string, element: BsonValue): number {
  const position = readInteger(element);
  if (position === undefined) throw new CommandError('BadValue', `bit positions of ${operator} must be an integer`);
  if (position < 0n || position > 0x7fffffffn) {
    throw new CommandError('BadValue', `bit positions of ${operator} must be >= 0 and fit in 32 bits`);
  }
  return Number(position);
}

function setBits(count: number, isSet: (position: number) => boolean): number[] {
  return Array.from({ length: count }, (_, position) => position).filter(isSet);
}

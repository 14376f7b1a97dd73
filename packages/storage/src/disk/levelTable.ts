/**
 * LevelDB's tables, which hold what was written before. LevelDB reads their blocks without a look at the checksums.
 * Upstream: google/leveldb, doc/table_format.md.
 */
import { isChecked } from './crc32c.ts';
import { Varints } from './varints.ts';

const FOOTER_BYTES = 48;
const MAGIC = [0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb];
/** Behind each block: one byte that says how it is compressed, four of checksum. */
const TRAILER_BYTES = 5;
const SNAPPY = 1;

/** @returns the offset of the first block that is not what was written; undefined if all are */
export function damageInTable(table: Uint8Array): number | undefined {
  const footer = table.length - FOOTER_BYTES;
  if (footer < 0 || !MAGIC.every((byte, i) => table[table.length - MAGIC.length + i] === byte))
    return Math.max(footer, 0);
  const handles = new Varints(table, footer);
  try {
    // What a filter is found by, and what the data are found by.
    for (const directory of [handleAt(handles), handleAt(handles)]) {
      if (!isSound(table, directory)) return directory.offset;
      for (const block of handlesIn(blockOf(table, directory))) if (!isSound(table, block)) return block.offset;
    }
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return footer;
    throw error;
  }
}

interface Handle {
  readonly offset: number;
  readonly size: number;
}

function handleAt(numbers: Varints): Handle {
  return { offset: numbers.next(), size: numbers.next() };
}

function isSound(table: Uint8Array, { offset, size }: Handle): boolean {
  const end = offset + size;
  return end + TRAILER_BYTES <= table.length && isChecked(table.subarray(offset, end + 1), table, end + 1);
}

function blockOf(table: Uint8Array, { offset, size }: Handle): Uint8Array {
  const bytes = table.subarray(offset, offset + size);
  return table[offset + size] === SNAPPY ? unpacked(bytes) : bytes;
}

/** The values of a block's entries; behind them lie the places where keys begin anew, and how many these are. */
function handlesIn(block: Uint8Array): Handle[] {
  const numbers = new DataView(block.buffer, block.byteOffset, block.length);
  const end = block.length - 4 * (1 + numbers.getUint32(block.length - 4, true));
  const found: Handle[] = [];
  const entries = new Varints(block);
  while (entries.at < end) {
    entries.next();
    const [keyBytes, valueBytes] = [entries.next(), entries.next()];
    entries.take(keyBytes);
    found.push(handleAt(new Varints(entries.take(valueBytes))));
  }
  return found;
}

/** Upstream: google/snappy, format_description.txt. */
function unpacked(packed: Uint8Array): Uint8Array {
  const input = new Varints(packed);
  const output = new Uint8Array(input.next());
  let at = 0;
  while (!input.isAtEnd) {
    const [tag = 0] = input.take(1);
    const kind = tag & 3;
    if (kind === 0) {
      const bytes = input.take(1 + (tag >> 2 < 60 ? tag >> 2 : littleEndian(input.take((tag >> 2) - 59))));
      output.set(bytes, at);
      at += bytes.length;
    } else {
      const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2);
      const back = kind === 1 ? ((tag >> 5) << 8) | input.take(1)[0]! : littleEndian(input.take(kind === 2 ? 2 : 4));
      if (back === 0 || back > at || at + length > output.length) throw new RangeError('a copy from nowhere');
      // It may copy what it is just writing.
      for (let i = 0; i < length; i++, at++) output[at] = output[at - back]!;
    }
  }
  return output;
}

function littleEndian(bytes: Uint8Array): number {
  return bytes.reduceRight((value, byte) => value * 256 + byte, 0);
}

/**
 * Mingo takes a field called `__proto__` for an attack, or loses it to JavaScript's own. On the way in it gets another name of
 * the same length, that nobody uses, and its own one on the way out.
 */
import { encodeName } from '@replsim/protocol';

const NAME = '__proto__';
/** Ends in a character for private use. */
const STAND_IN = '__proto_\uE0F0';

const nameBytes = encodeName(NAME);
const standInBytes = encodeName(STAND_IN);

/** What is under the name `__proto__` in the bytes is safe with mingo in the answer. */
export function hideProto<T>(value: T, bytes: Uint8Array): T {
  return contains(bytes, nameBytes) ? (replaced(value, NAME, STAND_IN) as T) : value;
}

/** What was hidden from mingo has its own name again. */
export function showProto<T>(value: T, bytes: Uint8Array): T {
  return contains(bytes, standInBytes) ? (replaced(value, STAND_IN, NAME) as T) : value;
}

/** Names and strings alike, as a string may become a name, and a path is one. */
function replaced(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.replaceAll(from, to);
  if (Array.isArray(value)) return value.map((item) => replaced(item, from, to));
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.replaceAll(from, to), replaced(item, from, to)]),
  );
}

function contains(bytes: Uint8Array, wanted: Uint8Array): boolean {
  const last = bytes.length - wanted.length;
  for (let start = bytes.indexOf(0x5f); start >= 0 && start <= last; start = bytes.indexOf(0x5f, start + 1)) {
    if (wanted.every((byte, i) => bytes[start + i] === byte)) return true;
  }
  return false;
}

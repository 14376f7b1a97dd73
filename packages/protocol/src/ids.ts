/**
 * Ids that look random and come from the run's seed. A rule may not draw numbers, so whoever needs ids holds an
 * `IdSource`, whose n-th id depends on its seed and on n alone.
 */
export class IdSource {
  readonly #seed: readonly [number, number];
  #count = 0;

  /** @param seed two unsigned 32-bit integers, drawn by whoever starts the process */
  constructor(seed: readonly [number, number]) {
    this.#seed = seed;
  }

  /** 16 bytes of a UUID, version 4. */
  uuid(): Uint8Array {
    const bytes = this.bytes(16);
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    return bytes;
  }

  /** 12 bytes of an ObjectId whose first four say `secs` since 1970. */
  objectId(secs: number): Uint8Array {
    const bytes = this.bytes(12);
    bytes[0] = secs >>> 24;
    bytes[1] = secs >>> 16;
    bytes[2] = secs >>> 8;
    bytes[3] = secs;
    return bytes;
  }

  /** A positive integer below 2^62, never 0: a cursor id. */
  cursorId(): bigint {
    const [a, b] = this.#words();
    return ((BigInt(a) << 32n) | BigInt(b)) & 0x3fffffffffffffffn || 1n;
  }

  /** A number below `bound`, for the few places where mongod itself draws one inside a rule. */
  below(bound: number): number {
    return this.#words()[0] % bound;
  }

  /** As many as asked for, such as a key's. */
  bytes(length: number): Uint8Array {
    const bytes = new Uint8Array(length);
    for (let i = 0; i < length; i += 8) {
      const [a, b] = this.#words();
      for (let j = 0; j < 8 && i + j < length; j++) bytes[i + j] = (j < 4 ? a : b) >>> ((j % 4) * 8);
    }
    return bytes;
  }

  #words(): [number, number] {
    const n = this.#count++;
    const a = mix(this.#seed[0] ^ Math.imul(n, 0x9e3779b1));
    return [a, mix(this.#seed[1] ^ a ^ Math.imul(n + 1, 0x85ebca6b))];
  }
}

/** The finaliser of MurmurHash3: every input bit moves every output bit. */
function mix(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** Bytes as lower-case hex. */
export function toHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += (byte < 16 ? '0' : '') + byte.toString(16);
  return text;
}

/** A UUID's 16 bytes in the usual five groups. */
export function formatUuid(bytes: Uint8Array): string {
  const hex = toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A UUID as an attribute of log lines: `{ uuid: { $uuid } }`. @param bytes sixteen. Upstream: UUID::toBSON. */
export function uuidAttr(bytes: Uint8Array): { readonly uuid: { readonly $uuid: string } } {
  return { uuid: { $uuid: formatUuid(bytes) } };
}

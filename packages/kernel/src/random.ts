/**
 * Repeatable randomness: a seeded stream of numbers, from which independent streams can be split off.
 * A stream follows from the seed and the labels alone, never from how much was drawn, so a new draw in one place shifts
 * nothing elsewhere. Not for secrets.
 *
 * Generator: Chris Doty-Humphrey's sfc32. Seeds and labels are hashed to its 128 bits of state by MurmurHash3's
 * 128-bit mixing, keyed by the parent's.
 */
export class Random {
  readonly #key: Key;
  #a: number;
  #b: number;
  #c: number;
  #counter: number;

  private constructor(key: Key) {
    this.#key = key;
    [this.#a, this.#b, this.#c, this.#counter] = key;
    for (let round = 0; round < WARM_UP_ROUNDS; round++) this.nextUint32();
  }

  /** The root stream of a run; 7, 7n and '7' are the same seed, so that one read from a command line repeats the run. */
  static fromSeed(seed: number | string | bigint): Random {
    return new Random(hash(ROOT_KEY, String(seed)));
  }

  /**
   * A stream of its own for one use, always the same for the same seed and labels. It neither draws from this stream nor
   * depends on it. A number stands for its decimal text; `split(a, b)` is `split(a).split(b)`.
   */
  split(label: string | number, ...more: (string | number)[]): Random {
    return new Random(more.reduce<Key>((key, next) => hash(key, String(next)), hash(this.#key, String(label))));
  }

  /** An integer from 0 to 2^32 - 1. */
  nextUint32(): number {
    const result = (this.#a + this.#b + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (rotateLeft(this.#c, 21) + result) | 0;
    return result >>> 0;
  }

  /** A number from 0 up to, but not including, 1, in steps of 2^-53. */
  float(): number {
    const high = this.nextUint32() >>> 5;
    const low = this.nextUint32() >>> 6;
    return (high * 2 ** 26 + low) / 2 ** 53;
  }

  /** An integer from `lo` to `hiExclusive - 1`, all equally likely; a RangeError if there is none. */
  int(lo: number, hiExclusive: number): number {
    const last = hiExclusive - lo - 1;
    if (!Number.isSafeInteger(lo) || !Number.isSafeInteger(last) || last < 0)
      throw new RangeError(`no integer to draw from ${lo} up to ${hiExclusive}`);
    if (last === 0) return lo;
    // Draw as many bits as `last` has and reject what is above it: at most every other draw, and without a bias.
    const lastHigh = Math.floor(last / 2 ** 32);
    for (;;) {
      const drawn = lastHigh === 0 ? this.#bitsOf(last) : this.#bitsOf(lastHigh) * 2 ** 32 + this.nextUint32();
      if (drawn <= last) return lo + drawn;
    }
  }

  /** True with probability `p`; nothing is drawn when that is certain (`p` at most 0, or at least 1). */
  chance(p: number): boolean {
    return p > 0 && (p >= 1 || this.float() < p);
  }

  /** `n` random bytes. */
  bytes(n: number): Uint8Array {
    const bytes = new Uint8Array(n);
    for (let at = 0, word = 0; at < n; at++, word >>>= 8) {
      if (at % 4 === 0) word = this.nextUint32();
      bytes[at] = word;
    }
    return bytes;
  }

  /** One element, all equally likely; a RangeError if there is none. */
  pick<T>(array: readonly T[]): T {
    return array[this.int(0, array.length)] as T;
  }

  /** A copy in random order, all orders equally likely. */
  shuffle<T>(array: readonly T[]): T[] {
    const shuffled = [...array];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = this.int(0, last + 1);
      [shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T];
    }
    return shuffled;
  }

  /** As many random bits as `value` has; `value` from 1 to 2^32 - 1. */
  #bitsOf(value: number): number {
    return this.nextUint32() >>> Math.clz32(value);
  }
}

/** 128 bits as four signed words. */
type Key = readonly [number, number, number, number];

/** The first 128 bits of pi's fraction: any constant would do, so long as it never changes. */
const ROOT_KEY: Key = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
/** After this many rounds each bit of the state has reached all others; the author of sfc32 recommends 12. */
const WARM_UP_ROUNDS = 12;

/** Upstream: MurmurHash3.cpp, MurmurHash3_x86_128, over UTF-16 code units, with a 128-bit seed and the tail padded with zeros. */
function hash([k1, k2, k3, k4]: Key, text: string): Key {
  let [h1, h2, h3, h4] = [k1, k2, k3, k4];
  for (let at = 0; at < text.length; at += 8) {
    h1 ^= scramble(wordAt(text, at), 0x239b961b, 15, 0xab0e9789);
    h1 = (Math.imul((rotateLeft(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= scramble(wordAt(text, at + 2), 0xab0e9789, 16, 0x38b34ae5);
    h2 = (Math.imul((rotateLeft(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= scramble(wordAt(text, at + 4), 0x38b34ae5, 17, 0xa1e38b93);
    h3 = (Math.imul((rotateLeft(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= scramble(wordAt(text, at + 6), 0xa1e38b93, 18, 0x239b961b);
    h4 = (Math.imul((rotateLeft(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  const { length } = text;
  const mixed = spread([h1 ^ length, h2 ^ length, h3 ^ length, h4 ^ length]);
  return spread([avalanche(mixed[0]), avalanche(mixed[1]), avalanche(mixed[2]), avalanche(mixed[3])]);
}

/** Two code units; past the end `charCodeAt` is NaN, which bitwise operators take for 0. */
function wordAt(text: string, at: number): number {
  return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
}

function scramble(word: number, before: number, rotation: number, after: number): number {
  return Math.imul(rotateLeft(Math.imul(word, before), rotation), after);
}

/** Adds all words to the first, then that sum to the others. */
function spread([h1, h2, h3, h4]: Key): Key {
  const sum = (h1 + h2 + h3 + h4) | 0;
  return [sum, (h2 + sum) | 0, (h3 + sum) | 0, (h4 + sum) | 0];
}

function avalanche(word: number): number {
  let h = word;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function rotateLeft(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}

/** How many bytes of bits the short form of their length can tell of. */
const SHORT_FORM_BYTES = 127;

/**
 * What a key loses of its values' types, one stream of bits beside it: all numbers share their keys, and so do strings and symbols.
 * Upstream: key_string.h, TypeBits.
 */
export class TypeBits {
  #bytes: number[] = [];
  #count = 0;
  #anySet = false;

  /** Appends the lowest `width` bits of a number, the highest of them first. */
  append(bits: number, width: number): void {
    for (let i = width - 1; i >= 0; i--) {
      const bit = (bits >> i) & 1;
      const place = this.#count % 8;
      if (place === 0) this.#bytes.push(0);
      if (bit === 1) {
        this.#bytes[this.#bytes.length - 1]! |= 1 << place;
        this.#anySet = true;
      }
      this.#count += 1;
    }
  }

  /** As they are stored; undefined if none is set, as nothing needs to be stored then. */
  finish(): Uint8Array | undefined {
    if (!this.#anySet) return undefined;
    const bytes = this.#bytes;
    const { length } = bytes;
    if (length === 1 && bytes[0]! < 0x80) return Uint8Array.from(bytes);
    if (length <= SHORT_FORM_BYTES) return Uint8Array.from([0x80 | length, ...bytes]);
    return Uint8Array.from([0x80, length, length >>> 8, length >>> 16, length >>> 24, ...bytes]);
  }
}

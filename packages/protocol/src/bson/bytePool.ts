/** Unit: bytes. */
const SLAB_BYTES = 8192;
/** What is larger gets a buffer of its own. Unit: bytes. */
const PIECE_BYTES = 1024;

/**
 * Gives out small byte arrays as pieces of larger buffers: making a buffer, and collecting it, costs many times what its few
 * bytes do. A buffer lives as long as any of its pieces, so what is kept for long and what is not belong in different pools.
 */
export class BytePool {
  #slab = new Uint8Array(0);
  #used = 0;

  /** That many zero bytes, which nobody else has or gets. */
  take(length: number): Uint8Array {
    if (length > PIECE_BYTES) return new Uint8Array(length);
    if (this.#used + length > this.#slab.length) {
      this.#slab = new Uint8Array(SLAB_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#used += length;
    return this.#slab.subarray(start, this.#used);
  }

  /** A copy of the bytes before `end`. */
  copy(bytes: Uint8Array, end = bytes.length): Uint8Array {
    const piece = this.take(end);
    // Short ones are the rule, and a loop is faster for them than a view and a call.
    if (end <= 64) for (let i = 0; i < end; i++) piece[i] = bytes[i]!;
    else piece.set(bytes.subarray(0, end));
    return piece;
  }
}

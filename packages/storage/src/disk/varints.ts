/** Numbers as LevelDB writes them: seven bits a byte, the lowest first. */
export class Varints {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get isAtEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  /** @throws RangeError behind the end */
  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.at++];
      if (byte === undefined) throw new RangeError('a number ends behind its bytes');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  /** So many bytes. @throws RangeError behind the end */
  take(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new RangeError('bytes end behind their file');
    const taken = this.#bytes.subarray(this.at, end);
    this.at = end;
    return taken;
  }
}

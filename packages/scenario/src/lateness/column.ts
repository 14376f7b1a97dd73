/** Numbers one after the other, 8 bytes each: there may be millions. */
export class Column {
  #values = new Float64Array(256);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    this.grow(this.#length + 1, value);
  }

  /** Makes it at least this long; new places hold `value`. */
  grow(length: number, value: number): void {
    if (length > this.#values.length) {
      const values = new Float64Array(Math.max(length, 2 * this.#values.length));
      values.set(this.#values.subarray(0, this.#length));
      this.#values = values;
    }
    if (length > this.#length) {
      this.#values.fill(value, this.#length, length);
      this.#length = length;
    }
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}

import { type BsonValue, ElementCursor } from '@replsim/protocol';

/** The elements of an array, one by one: each stays the current one until what is computed of it is there. */
export class Elements {
  readonly #cursor: ElementCursor;
  #current: BsonValue | undefined;

  constructor({ bytes, offset }: BsonValue) {
    this.#cursor = new ElementCursor(bytes, offset);
  }

  /** Undefined behind the last one. */
  current(): BsonValue | undefined {
    this.#current ??= this.#cursor.next() ? this.#cursor.value() : undefined;
    return this.#current;
  }

  pass(): void {
    this.#current = undefined;
  }
}

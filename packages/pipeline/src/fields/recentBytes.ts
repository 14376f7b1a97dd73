/** How many are remembered: clients that are busy at the same moment are few. */
const CAPACITY = 16;

/**
 * Remembers what was made of the byte strings that came last, by their content: a client names the same session, and the same
 * write concern, in every command. Whether one is remembered shows in nothing but time.
 */
export class RecentBytes<Made extends object | string> {
  readonly #known: { readonly bytes: Uint8Array; readonly made: Made }[] = [];
  #oldest = 0;

  /** What `make` made of these bytes, now or before; what it throws is not remembered. */
  get(bytes: Uint8Array, make: (bytes: Uint8Array) => Made): Made {
    const known = this.find(bytes);
    if (known !== undefined) return known;
    const made = make(bytes);
    // A copy, since the bytes may be a part of a much larger message; not by `slice`, which a Buffer does not copy for.
    this.#known[this.#oldest] = { bytes: new Uint8Array(bytes), made };
    this.#oldest = (this.#oldest + 1) % CAPACITY;
    return made;
  }

  find(bytes: Uint8Array): Made | undefined {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) if (same(known[i]!.bytes, bytes)) return known[i]!.made;
    return undefined;
  }
}

function same(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true;
  const { length } = a;
  if (b.length !== length) return false;
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

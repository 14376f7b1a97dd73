import {
  encodeDocument,
  encodeName,
  findField,
  isReplicated,
  RawValue,
  type TraceEvent,
  toHex,
} from '@replsim/protocol';

const ID = encodeName('_id');

/** When each document that is there was first written; lateness counts from there where it came after it was due. */
export class Arrivals {
  readonly #insertedMicros = new Map<string, number>();

  observe(event: TraceEvent): void {
    if (event.type !== 'oplogWritten' || event.origin !== 'self') return;
    for (const { operations } of event.entries)
      for (const { op, ns, document } of operations) {
        if (!document || !isReplicated(ns)) continue;
        const key = keyOf(ns, document.bytes);
        if (op === 'd') this.#insertedMicros.delete(key);
        else if (!this.#insertedMicros.has(key)) this.#insertedMicros.set(key, event.atMicros);
      }
  }

  /** @param document with its `_id`. @returns 0 where no entry of the run has it. Unit: µs */
  insertedMicros(ns: string, document: Uint8Array): number {
    return this.#insertedMicros.get(keyOf(ns, document)) ?? 0;
  }
}

function keyOf(ns: string, document: Uint8Array): string {
  const id = findField(document, ID);
  return `${ns} ${id ? toHex(encodeDocument({ id: new RawValue(id) })) : ''}`;
}

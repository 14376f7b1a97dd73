import { type PackedTrace, TracePacker, TraceUnpacker } from '@replsim/scenario';
import type { Slice } from './player.ts';

/** A slice on its way out of the worker. */
export interface WireSlice extends PackedTrace {
  readonly lines: Slice['lines'];
}

/** Packs the slices of one run. */
export class Packer {
  readonly #trace = new TracePacker();

  pack({ events, lines }: Slice): WireSlice {
    return { ...this.#trace.pack(events), lines };
  }
}

/** Makes of packed slices, in their order, what they were. */
export class Unpacker {
  readonly #trace = new TraceUnpacker();

  unpack({ events, entries, lines }: WireSlice): Slice {
    return { events: this.#trace.unpack({ events, entries }), lines };
  }
}

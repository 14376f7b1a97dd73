import {
  decodeDocument,
  encodeDocument,
  OplogEntry,
  type OplogOperation,
  type SharedDocument,
  type TraceEvent,
} from '@replsim/protocol';

/** The fields of an entry, which survive a structured clone where the entry itself would lose its class. */
export type PackedEntry = Pick<OplogEntry, 'operation' | 'opTime' | 'wallMs' | 'applyOps' | 'prevOpTime'>;

/** A part of a trace on its way to somebody who does not share this memory. */
export interface PackedTrace {
  /** As they are, but for entries, which are numbers here, and for what a log line has of BSON's classes. */
  readonly events: readonly unknown[];
  /** Entries that no part before this one had; their numbers go on from there. */
  readonly entries: readonly PackedEntry[];
}

/** Which events carry entries, and in which field. */
const ENTRY_FIELDS: Readonly<Record<string, string>> = {
  oplogWritten: 'entries',
  applied: 'batch',
  rolledBack: 'removedEntries',
  clientWrote: 'entries',
};

/** The entries that an event carries. */
export function entriesOf(event: TraceEvent): readonly OplogEntry[] {
  const field = ENTRY_FIELDS[event.type];
  return (field && (event as unknown as Readonly<Record<string, readonly OplogEntry[] | undefined>>)[field]) || [];
}

/** Packs the parts of one trace. All members share an entry, so that it goes over once. */
export class TracePacker {
  readonly #numbers = new Map<OplogEntry, number>();

  pack(events: readonly TraceEvent[]): PackedTrace {
    const entries: PackedEntry[] = [];
    const packed = events.map((event) => this.#packed(event, entries));
    return { events: packed, entries };
  }

  #packed(event: TraceEvent, fresh: PackedEntry[]): unknown {
    if (event.type === 'log') return { ...event, line: { ...event.line, attr: mapped(event.line.attr, asBytes) } };
    const field = ENTRY_FIELDS[event.type];
    const entries = field && (event as unknown as Readonly<Record<string, readonly OplogEntry[] | undefined>>)[field];
    if (!entries) return event;
    return { ...event, [field]: entries.map((entry) => this.#numberOf(entry, fresh)) };
  }

  #numberOf(entry: OplogEntry, fresh: PackedEntry[]): number {
    const known = this.#numbers.get(entry);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(entry, number);
    const { operation, opTime, wallMs, applyOps, prevOpTime } = entry;
    fresh.push({ operation: plain(operation), opTime, wallMs, applyOps: applyOps?.map(plain), prevOpTime });
    return number;
  }
}

/** Operations may be of classes whose fields are getters; a clone has only what is there. */
function plain({ op, ns, ui, o, o2, document, before, statement, transaction }: OplogOperation): OplogOperation {
  return {
    op,
    ns,
    ...(ui && { ui }),
    o,
    ...(o2 && { o2 }),
    ...(document && { document: bare(document) }),
    ...(before && { before: bare(before) }),
    ...(statement && { statement }),
    ...(transaction && { transaction }),
  };
}

function bare({ bytes }: SharedDocument): SharedDocument {
  return { bytes };
}

/** Makes of packed parts, in their order, what they were. */
export class TraceUnpacker {
  readonly #entries: OplogEntry[] = [];

  unpack({ events, entries }: PackedTrace): TraceEvent[] {
    for (const { operation, opTime, wallMs, applyOps, prevOpTime } of entries)
      this.#entries.push(new OplogEntry(operation, opTime, wallMs, applyOps, prevOpTime));
    return events.map((event) => this.#unpacked(event as TraceEvent));
  }

  #unpacked(event: TraceEvent): TraceEvent {
    if (event.type === 'log')
      return { ...event, line: { ...event.line, attr: mapped(event.line.attr, asValue) as typeof event.line.attr } };
    const field = ENTRY_FIELDS[event.type];
    const numbers = field && (event as unknown as Readonly<Record<string, readonly number[] | undefined>>)[field];
    if (!numbers) return event;
    return { ...event, [field]: numbers.map((number) => this.#entries[number]) } as TraceEvent;
  }
}

/** The same value, with what `change` makes of the objects and bigints in it; where it makes nothing, their fields are looked at. */
export function mapped(value: unknown, change: (value: object | bigint) => unknown): unknown {
  if (typeof value === 'bigint') return change(value) ?? value;
  if (typeof value !== 'object' || value === null) return value;
  const changed = change(value);
  if (changed !== undefined) return changed;
  if (Array.isArray(value)) return value.map((each) => mapped(each, change));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapped(each, change)]));
}

/** A value of BSON's classes as bytes, under a class that a clone keeps and no log line has; what a clone keeps anyway as it is. */
function asBytes(value: object | bigint): unknown {
  if (typeof value === 'bigint') return undefined;
  if ('_bsontype' in value) {
    const { buffer, byteOffset, byteLength } = encodeDocument({ value });
    return new DataView(buffer, byteOffset, byteLength);
  }
  return value instanceof Date || ArrayBuffer.isView(value) ? value : undefined;
}

function asValue(value: object | bigint): unknown {
  if (value instanceof DataView)
    return decodeDocument(new Uint8Array(value.buffer, value.byteOffset, value.byteLength)).value;
  return value instanceof Date || ArrayBuffer.isView(value) ? value : undefined;
}

import {
  OplogEntry as Entry,
  encodeDocument,
  NULL_OP_TIME,
  type OplogEntry,
  type OplogOperation,
  RawBson,
} from '@replsim/protocol';
import { Binary, Long, Timestamp } from 'bson';
import type { StreamOperation } from '../src/streamOperation.ts';
import { ZEROS } from './tokens.ts';

type Doc = Record<string, unknown>;

/** An operation whose documents are written as JavaScript has them. */
export function operation(
  op: OplogOperation['op'],
  ns: string,
  o: Doc,
  more: { o2?: Doc; ui?: Uint8Array } = {},
): OplogOperation {
  return {
    op,
    ns,
    o: encodeDocument(o),
    ui: more.ui ?? ZEROS,
    ...(more.o2 && { o2: encodeDocument(more.o2) }),
  };
}

/** An operation as a stream sees it, alone in its entry. */
export function streamed(of: OplogOperation): StreamOperation {
  const ts = { t: 1000, i: 1 };
  return { operation: of, clusterTime: ts, wallMs: 1_000_000, txnOpIndex: 0, image: { ts, applyOpsIndex: 0 } };
}

/** An entry with one operation. */
export function entryOf(of: OplogOperation, i = 1): OplogEntry {
  return new Entry(of, { ts: { t: 1000, i }, t: 1 }, 1_000_000);
}

export interface GroupOptions {
  readonly i: number;
  /** The group is of a session's transaction, unless it says otherwise. */
  readonly isTransaction?: boolean;
  /** The increment of the entry before it in its transaction; 0 for the first. */
  readonly prev?: number;
  readonly partial?: boolean;
  readonly prepare?: boolean;
  readonly multiOpType?: number;
}

/** An `applyOps` entry as a mongod writes it, its bytes made by hand. */
export function groupOf(operations: readonly OplogOperation[], options: GroupOptions): OplogEntry {
  const { i, isTransaction = true, prev = 0, partial, prepare, multiOpType } = options;
  const opTime = { ts: { t: 1000, i }, t: 1 };
  const applyOps = operations.map(({ op, ns, o, o2, ui }) => ({
    op,
    ns,
    ui: new Binary(ui!, 4),
    o: new RawBson(o),
    ...(o2 && { o2: new RawBson(o2) }),
  }));
  const prevOpTime = prev === 0 ? NULL_OP_TIME : { ts: { t: 1000, i: prev }, t: 1 };
  const bytes = encodeDocument({
    ...(isTransaction && {
      lsid: { id: new Binary(ZEROS, 4), uid: new Binary(new Uint8Array(32)) },
      txnNumber: Long.fromNumber(7),
    }),
    op: 'c',
    ns: 'admin.$cmd',
    o: { applyOps, ...(partial && { partialTxn: true }), ...(prepare && { prepare: true }) },
    ts: new Timestamp({ t: 1000, i }),
    t: Long.fromNumber(1),
    v: Long.fromNumber(2),
    wall: new Date(1_000_000 + i),
    ...(isTransaction && { prevOpTime: { ts: new Timestamp(prevOpTime.ts), t: Long.fromNumber(prevOpTime.t) } }),
    ...(multiOpType !== undefined && { multiOpType }),
  });
  const command = { op: 'c', ns: 'admin.$cmd', o: encodeDocument({}) } as const;
  return Entry.withBytes(bytes, command, opTime, 1_000_000 + i, operations, isTransaction ? prevOpTime : undefined);
}

import { BsonWriter, OplogEntry, type OplogOperation, type OpTime, type OpType } from '@replsim/protocol';
import fc from 'fast-check';

/** An opTime whose increment is 1: enough for most tables. */
export const at = (secs: number, term: number): OpTime => ({ ts: { t: secs, i: 1 }, t: term });

export const EMPTY = new BsonWriter().finish();

export function operation(op: OpType = 'i', o: Uint8Array = EMPTY): OplogOperation {
  return { op, ns: op === 'n' ? '' : 'app.sessions', o };
}

export function entry(opTime: OpTime, op: OpType = 'i'): OplogEntry {
  return new OplogEntry(operation(op), opTime, opTime.ts.t * 1000);
}

/**
 * A history that some member may hold: `ts` increases strictly, now by seconds and now by increments, `t` never goes
 * down.
 */
export const anyHistory = (minLength = 0): fc.Arbitrary<OpTime[]> =>
  fc
    .array(fc.tuple(fc.nat(2), fc.integer({ min: 1, max: 3 }), fc.boolean()), { minLength, maxLength: 30 })
    .map((steps) => {
      const history: OpTime[] = [];
      let last: OpTime = { ts: { t: 10, i: 0 }, t: 1 };
      for (const [secs, more, newTerm] of steps) {
        const ts = secs > 0 ? { t: last.ts.t + secs, i: more } : { t: last.ts.t, i: last.ts.i + more };
        last = { ts, t: last.t + (newTerm ? 1 : 0) };
        history.push(last);
      }
      return history;
    });

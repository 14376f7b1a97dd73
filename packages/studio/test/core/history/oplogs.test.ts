import { compareOpTimes, OplogEntry, type OpTime, type TraceEvent } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Oplogs } from '../../../src/core/history/oplogs.ts';

// Against lists that are folded from the start for every look.

const opTime = (number: number, term: number): OpTime => ({ ts: { t: number, i: 1 }, t: term });
const entry = (at: OpTime) => new OplogEntry({ op: 'n', ns: '', o: new Uint8Array() }, at, 0);
const event = (atMicros: number, rest: object) => ({ atMicros, member: 'n1', ...rest }) as TraceEvent;

/** What a member may live through: writes, and being thrown back so many entries, or to none. */
const lives = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ type: fc.constant('write' as const), count: fc.integer({ min: 1, max: 3 }) }) },
    fc.record({ type: fc.constantFrom('rollback' as const, 'crash' as const), count: fc.integer({ min: 0, max: 4 }) }),
    fc.record({ type: fc.constantFrom('truncate' as const, 'sync' as const), count: fc.integer({ min: 1, max: 3 }) }),
  ),
  { maxLength: 25 },
);

/** The events of such a life, and after each of them what is there and what was taken away. */
function lived(life: readonly { type: string; count: number }[]) {
  let term = 1;
  let number = 1;
  let here: OpTime[] = [];
  const taken = new Map<string, string>();
  const key = (at: OpTime) => `${at.ts.t} ${at.t}`;
  const events: TraceEvent[] = [];
  const states: { here: string[]; taken: Map<string, string> }[] = [];
  for (const [i, { type, count }] of life.entries()) {
    const atMicros = i * 10;
    const last = here.at(-1 - count);
    const back = here.slice(here.length - Math.min(count, here.length));
    if (type === 'write') {
      const entries = Array.from({ length: count }, () => opTime(number++, term));
      here = [...here, ...entries];
      for (const each of entries) taken.delete(key(each));
      events.push(event(atMicros, { type: 'oplogWritten', entries: entries.map(entry), origin: 'self' }));
    } else if (type === 'rollback' || type === 'crash') {
      const commonPoint = last ?? opTime(0, 0);
      here = here.slice(0, here.length - back.length);
      for (const each of back) taken.set(key(each), type === 'crash' ? 'lost' : 'rolled back');
      // After a rollback others have gone on in a later term; what a crash took comes again as it was.
      if (type === 'rollback') term++;
      else number -= back.length;
      const rest =
        type === 'crash' ? { type: 'processStarted', lastApplied: commonPoint } : { type: 'rolledBack', commonPoint };
      events.push(event(atMicros, rest));
    } else {
      const gone = type === 'sync' ? here : here.slice(0, count);
      const first = here[gone.length];
      here = here.slice(gone.length);
      // What was taken away before it goes with it.
      for (const each of [...taken.keys()]) if (!first || Number(each.split(' ')[0]) < first.ts.t) taken.delete(each);
      const rest =
        type === 'sync' || !first ? { type: 'initialSync', phase: 'started' } : { type: 'oplogTruncated', first };
      events.push(event(atMicros, rest));
    }
    states.push({ here: here.map(key), taken: new Map(taken) });
  }
  return { events, states, key };
}

test('at any instant a lane has what is there, and marks what was taken away', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { events, states, key } = lived(life);
      const oplogs = new Oplogs();
      for (const each of events) oplogs.observe(each, 0);
      for (const [i, { here, taken }] of states.entries()) {
        const cells = oplogs.at('n1', i * 10 + 5, 1000);
        const there = cells.filter(({ removal }) => removal === undefined);
        expect(there.map((cell) => key(cell.entry.opTime))).toEqual(here);
        for (const {
          entry: { opTime: at },
          removal,
        } of cells)
          if (removal !== undefined) expect(removal).toBe(taken.get(key(at)));
        expect(cells.toSorted((a, b) => compareOpTimes(a.entry.opTime, b.entry.opTime))).toEqual(cells);
      }
    }),
    { seed: 1, numRuns: 300 },
  );
});

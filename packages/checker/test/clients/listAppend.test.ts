import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listAnomalies, type TransactionCall } from '../../src/index.ts';
import { transactions } from './histories.ts';

describe('known histories', () => {
  test.for<[string, string[]]>([
    ['nothing happens', []],
    ['one after the other', ['A: x+1', 'B: x[1] x+2', 'C: x[1,2]']],
    ['what another appends later is not read', ['A: x[] y[]', 'B: x+1', 'C: y+1 x[1]']],
    ['what nobody is sure of was done', ['A?: x+1', 'B: x[1]']],
    ['what failed is not seen', ['A!: x+1', 'B: x[]']],
    ['it reads what it appends', ['A: x[] x+1 x[1] x+2 x[1,2]', 'B: x[1,2]']],
    ['it reads its own behind those of others', ['A: x+1', 'B: x+2 x[1,2]']],
  ])('no anomaly: %s', ([, history]) => {
    expect(listAnomalies(transactions(...history))).toEqual([]);
  });

  test.for<[string, string[], string, string]>([
    [
      'two transactions overwrite each other in two orders',
      ['A: x+1 y+1', 'B: x+2 y+2', 'C: x[1,2]', 'D: y[2,1]'],
      'G0',
      'no order of these: A at 0.000s appended 1 to list x before B at 0.001s appended 2; B at 0.001s appended 2 to list y before A at 0.000s appended 1',
    ],
    [
      'an aborted append is read',
      ['A!: x+1', 'B: x[1]'],
      'G1a',
      'B at 0.001s read 1 in list x, which A at 0.000s appended and aborted',
    ],
    ['what nobody appended is read', ['B: x[7]'], 'G1a', 'B at 0.000s read 7 in list x, which nobody appended'],
    [
      'half of a transaction is read',
      ['A: x+1 x+2', 'B: x[1]', 'C: x[1,2]'],
      'G1b',
      'B at 0.001s read list x up to 1, and A at 0.000s appended more to it',
    ],
    [
      'each of two reads what the other appended',
      ['A: x+1 y[1]', 'B: y+1 x[1]'],
      'G1c',
      'no order of these: B at 0.001s appended 1 to list y, which A at 0.000s read; A at 0.000s appended 1 to list x, which B at 0.001s read',
    ],
    // Read skew: one half of a transaction is seen and the other not.
    [
      'a read is torn',
      ['A: x+1 y+1', 'B: x[1] y[]', 'C: y[1]'],
      'G-single',
      'no order of these: B at 0.001s read list y empty, before A at 0.000s appended 1; A at 0.000s appended 1 to list x, which B at 0.001s read',
    ],
    [
      'an update is lost',
      ['A: x[] x+1', 'B: x[] x+2', 'C: x[1,2]'],
      'G-single',
      'B at 0.001s read list x empty, before A at 0.000s appended 1',
    ],
    // Write skew, which a snapshot does not prevent.
    [
      'each of two reads what the other overwrites',
      ['A: x[] y+1', 'B: y[] x+1', 'C: x[1] y[1]'],
      'G2-item',
      'no order of these: A at 0.000s read list x empty, before B at 0.001s appended 1; B at 0.001s read list y empty, before A at 0.000s appended 1',
    ],
    [
      'a list was another before',
      ['A: x+1', 'B: x+2', 'C: x[1]', 'D: x[2,1]'],
      'incompatible-order',
      'C at 0.002s read list x with 1 as its element 1, and D at 0.003s with 2',
    ],
    [
      'an element is there twice',
      ['A: x+1', 'B: x[1,1]'],
      'duplicate-elements',
      'B at 0.001s read list x with 1 in it twice',
    ],
    [
      'a transaction does not find its own append',
      ['A: x+1 x[]'],
      'internal',
      'A at 0.000s read [] in list x, and its own operations before make that [1]',
    ],
    [
      'a transaction reads twice, and not the same',
      ['B: x+1', 'A: x[] x[1]'],
      'internal',
      'A at 0.001s read [1] in list x, and its own operations before make that []',
    ],
  ])('%s', ([, history, name, detail]) => {
    const anomalies = listAnomalies(transactions(...history));
    expect(anomalies).toContainEqual({ name, detail: expect.stringContaining(detail) });
  });

  test.for<[string, string[], string[]]>([
    ['write skew alone', ['A: x[] y+1', 'B: y[] x+1', 'C: x[1] y[1]'], ['G2-item']],
    ['a torn read alone', ['A: x+1 y+1', 'B: x[1] y[]', 'C: y[1]'], ['G-single']],
    ['a cycle of reads alone', ['A: x+1 y[1]', 'B: y+1 x[1]'], ['G1c']],
    ['an aborted read alone', ['A!: x+1', 'B: x[1]'], ['G1a']],
  ])('%s is nothing else', ([, history, names]) => {
    expect(listAnomalies(transactions(...history)).map(({ name }) => name)).toEqual(names);
  });

  test('a cycle may be long', () => {
    const n = 1000;
    const chain = Array.from({ length: n }, (_, i) => `T${i}: k${i}[] k${(i + 1) % n}+1`);
    const ends = Array.from({ length: n }, (_, i) => `E${i}: k${i}[1]`);
    const [anomaly, ...more] = listAnomalies(transactions(...chain, ...ends));
    expect(more).toEqual([]);
    expect(anomaly?.name).toBe('G2-item');
    expect(anomaly?.detail.split(';')).toHaveLength(n);
  });
});

interface DrawnTransaction {
  readonly operations: readonly (readonly [key: 'x' | 'y', append: boolean])[];
  readonly aborts: boolean;
}

const anyTransaction = fc.record({
  operations: fc.array(fc.tuple(fc.constantFrom('x' as const, 'y' as const), fc.boolean()), {
    minLength: 1,
    maxLength: 3,
  }),
  aborts: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});

/** What a store without faults makes of transactions, one after the other. */
function serially(drawn: readonly DrawnTransaction[], order: readonly number[]): TransactionCall[] {
  const lists: Record<string, readonly string[]> = { x: [], y: [] };
  const done: TransactionCall[] = [];
  for (const index of order) {
    const { operations, aborts } = drawn[index]!;
    const before = { ...lists };
    const filled = operations.map(([key, append], i) => {
      const value = `${index}_${i}`;
      if (append) lists[key] = [...lists[key]!, value];
      return append ? ({ f: 'append', key, value } as const) : ({ f: 'read', key, list: lists[key]! } as const);
    });
    if (aborts) Object.assign(lists, before);
    done[index] = {
      kind: 'transaction',
      client: `T${index}`,
      calledMicros: 0,
      returnedMicros: 1,
      outcome: aborts ? 'fail' : 'ok',
      operations: filled,
    };
  }
  return done;
}

test('whatever is done one after the other, in any order, has no anomaly', () => {
  fc.assert(
    fc.property(
      fc.array(anyTransaction, { minLength: 1, maxLength: 20 }),
      fc.infiniteStream(fc.nat()),
      (drawn, chance) => {
        const order = drawn.map((_, i) => i).toSorted((a, b) => a - b);
        for (let i = order.length - 1; i > 0; i--) {
          const j = chance.next().value! % (i + 1);
          [order[i], order[j]] = [order[j]!, order[i]!];
        }
        expect(listAnomalies(serially(drawn, order))).toEqual([]);
      },
    ),
    { numRuns: 300 },
  );
});

function* ordersOf(items: readonly number[]): Generator<readonly number[]> {
  if (items.length === 0) yield [];
  for (const item of items) for (const rest of ordersOf(items.filter((each) => each !== item))) yield [item, ...rest];
}

/** Whether some order of the transactions gives each what it read. */
function isSerial(history: readonly TransactionCall[], drawn: readonly DrawnTransaction[]): boolean {
  const text = JSON.stringify(history.map(({ operations }) => operations));
  for (const order of ordersOf(history.map((_, i) => i)))
    if (JSON.stringify(serially(drawn, order).map(({ operations }) => operations)) === text) return true;
  return false;
}

// Transactions that each read as of an instant of its own, whatever others wrote meanwhile, and write as if nobody else did: that is
// serializable at times, and in all ways not at others. In the end everybody's appends are read, so that their order is known.
test('it says the same as a search through all orders', () => {
  const counts = { serial: 0, not: 0 };
  const anyRun = fc.array(fc.record({ transaction: anyTransaction, stale: fc.integer({ min: 0, max: 3 }) }), {
    minLength: 2,
    maxLength: 4,
  });
  fc.assert(
    fc.property(anyRun, (run) => {
      const committed = run.map(({ transaction: { operations } }) => ({ operations, aborts: false }));
      const drawn = [
        ...committed,
        {
          operations: [
            ['x', false],
            ['y', false],
          ] as const,
          aborts: false,
        },
      ];
      const history = withStaleReads(drawn, [...run.map(({ stale }) => stale), 0]);
      const kind = isSerial(history, drawn) ? 'serial' : 'not';
      counts[kind]++;
      expect(listAnomalies(history).length === 0, JSON.stringify(history)).toBe(kind === 'serial');
    }),
    { numRuns: 600 },
  );
  expect(counts.serial).toBeGreaterThan(80);
  expect(counts.not).toBeGreaterThan(80);
});

/** Serially, but each transaction begins with the lists as they were so many transactions before. */
function withStaleReads(drawn: readonly DrawnTransaction[], stale: readonly number[]): TransactionCall[] {
  const versions: Record<string, readonly string[]>[] = [{ x: [], y: [] }];
  return drawn.map(({ operations }, index) => {
    const seen = { ...versions[Math.max(0, versions.length - 1 - stale[index]!)]! };
    const lists = { ...versions.at(-1)! };
    const filled = operations.map(([key, append], i) => {
      const value = `${index}_${i}`;
      if (!append) return { f: 'read', key, list: seen[key]! } as const;
      seen[key] = [...seen[key]!, value];
      lists[key] = [...lists[key]!, value];
      return { f: 'append', key, value } as const;
    });
    versions.push(lists);
    return {
      kind: 'transaction',
      client: `T${index}`,
      calledMicros: 0,
      returnedMicros: 1,
      outcome: 'ok',
      operations: filled,
    };
  });
}

import { VERSIONS } from '@replsim/protocol';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_TTL_PARAMETERS, targetsOf, VisitProgress, type VisitTargets } from '../src/index.ts';

const DEFAULTS = targetsOf(DEFAULT_TTL_PARAMETERS, VERSIONS['8.0']);

interface Costs {
  deleteMicros?: number;
  docBytes?: number;
  idBytes?: number;
}

/** Drives one visit over `due` documents as a member would. */
function visit(due: number, targets: VisitTargets, { deleteMicros = 0, docBytes = 100, idBytes = 17 }: Costs = {}) {
  const progress = new VisitProgress(targets);
  const batches: number[] = [];
  let found = 0;
  let buffered = 0;
  let elapsedMicros = 0;
  for (;;) {
    let action = found < due ? progress.staged(docBytes) : progress.endOfRange();
    if (found < due) {
      found++;
      buffered++;
    }
    while (action === 'commit') {
      let deleted = 0;
      progress.beginBatch();
      while (buffered > 0 && progress.fits(idBytes)) {
        buffered--;
        deleted++;
        elapsedMicros += deleteMicros;
        if (progress.batchTimeIsOver(deleted * deleteMicros)) break;
      }
      batches.push(deleted);
      action = progress.committed(buffered, elapsedMicros);
    }
    if (action === 'over') break;
  }
  const deleted = batches.reduce((sum, n) => sum + n, 0);
  expect(buffered).toBe(0);
  expect(progress.stagedDocs).toBe(deleted);
  return { batches, deleted, more: progress.passTargetMet };
}

test.for<[due: number, batches: number[]]>([
  [0, []],
  [1, [1]],
  [10, [10]],
  [21, [10, 10, 1]],
  [25, [10, 10, 5]],
])('%d due: batches of %o', ([due, batches]) => {
  expect(visit(due, DEFAULTS)).toEqual({ batches, deleted: due, more: false });
});

test.for([
  { due: 100, docs: 25, deleted: 30, more: true }, // overshoots to the end of a batch
  { due: 30, docs: 25, deleted: 30, more: true },
  { due: 29, docs: 25, deleted: 29, more: false }, // the range ended first
  { due: 20, docs: 20, deleted: 20, more: true },
  { due: 100, docs: 0, deleted: 100, more: false },
])('$due due, target $docs: $deleted deleted, more: $more', ({ due, docs, deleted, more }) => {
  expect(visit(due, { ...DEFAULTS, docs })).toMatchObject({ deleted, more });
});

test.for([1, 2, 5])('an index with exactly %d times the target needs one visit more', (n) => {
  const targets = { ...DEFAULTS, docs: 20 };
  let due = 20 * n;
  let visits = 0;
  for (let more = true; more; visits++) {
    const result = visit(due, targets);
    due -= result.deleted;
    more = result.more;
  }
  expect(visits).toBe(n + 1);
});

test('the time of the visit ends it after a batch', () => {
  // 100 µs a document: 1 ms a batch, so the third batch reaches 3 ms.
  const targets = { ...DEFAULTS, timeMS: 3, batchTimeMS: 0 };
  expect(visit(100, targets, { deleteMicros: 100 })).toEqual({ batches: [10, 10, 10], deleted: 30, more: true });
  expect(visit(100, { ...targets, timeMS: 0 }, { deleteMicros: 100 })).toMatchObject({ deleted: 100, more: false });
});

test('the time of a batch cuts it short, and the rest goes first', () => {
  const slow = { deleteMicros: 2000 }; // 5 ms are reached with the third document
  expect(visit(10, DEFAULTS, slow)).toMatchObject({ batches: [3, 3, 3, 1], more: false });
  expect(visit(10, { ...DEFAULTS, batchTimeMS: 0 }, slow).batches).toEqual([10]);
});

test('a target that is met with documents left lets them be deleted', () => {
  expect(visit(100, { ...DEFAULTS, docs: 10 }, { deleteMicros: 2000 })).toEqual({
    batches: [3, 3, 3, 1],
    deleted: 10,
    more: true,
  });
});

test('a batch is full by bytes, too', () => {
  expect(visit(5, { ...DEFAULTS, stagedBytes: 250 }).batches).toEqual([3, 2]);
  expect(visit(25, { ...DEFAULTS, stagedBytes: 0, batchDocs: 0 }).batches).toEqual([25]);
});

test('an entry never outgrows 16 MiB, unless by its first document', () => {
  const unlimited = { ...DEFAULTS, batchDocs: 0, stagedBytes: 0, batchTimeMS: 0, docs: 0 };
  const [first] = visit(100_000, unlimited).batches;
  expect(first).toBe(Math.floor((16 * 1024 * 1024 - 256) / (256 + 17)));
  expect(visit(2, unlimited, { idBytes: 20 * 1024 * 1024 }).batches).toEqual([1, 1]);
});

test('document by document, nothing but the end of the range ends a visit', () => {
  const targets = { ...DEFAULTS, batched: false, docs: 2, timeMS: 1 };
  expect(visit(5, targets, { deleteMicros: 9000 })).toEqual({ batches: [1, 1, 1, 1, 1], deleted: 5, more: false });
});

test.for([
  ['8.2', true, true, true],
  ['8.0', true, true, false],
  ['7.0', false, false, false],
  ['6.0', true, false, false],
  ['4.4', true, false, false],
  ['3.2', true, false, false],
] as const)('%s, ttlMonitorBatchDeletes %s: batched %s, reverse %s', ([version, on, batched, reverse]) => {
  const parameters = { ...DEFAULT_TTL_PARAMETERS, ttlMonitorBatchDeletes: on };
  expect(targetsOf(parameters, VERSIONS[version])).toMatchObject({ batched, reverse });
});

test('whatever the targets, a visit deletes up to its target or all, and says which', () => {
  const targets = fc.record({
    docs: fc.nat(60),
    timeMS: fc.nat(20),
    batchDocs: fc.nat(20),
    batchTimeMS: fc.nat(10),
    stagedBytes: fc.nat(1000),
    batched: fc.boolean(),
    reverse: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.nat(200), targets, fc.nat(3000), (due, limits, deleteMicros) => {
      const { batches, deleted, more } = visit(due, limits, { deleteMicros });
      if (!more) expect(deleted).toBe(due);
      if (limits.batched && limits.batchDocs > 0)
        for (const n of batches) expect(n).toBeLessThanOrEqual(limits.batchDocs);
      if (limits.batched && limits.docs > 0 && limits.batchDocs > 0)
        expect(deleted).toBeLessThan(limits.docs + limits.batchDocs);
    }),
  );
});

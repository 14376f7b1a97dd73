import { CommandError, encodeDocument } from '@replsim/protocol';
import { parseIndexSpec, StorageEngine, StoredDocument } from '@replsim/storage';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { IndexScan } from '../../src/ttl/indexScan.ts';

/** What an index scan finds, against a rule that knows no keys: whether a path leads to a date that is due. */

const LIMIT_MS = Date.UTC(2025, 0, 1);

const anyScalar = fc.oneof(
  fc.constantFrom(null, 0, 1e13, '1970-01-01', true, -1),
  fc.constantFrom(-8.64e15, -1, 0, LIMIT_MS - 1, LIMIT_MS, LIMIT_MS + 1, 8.64e15).map((ms) => new Date(ms)),
  fc.integer({ min: LIMIT_MS - 50, max: LIMIT_MS + 50 }).map((ms) => new Date(ms)),
);
const { value: anyValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    { arbitrary: anyScalar, weight: 3 },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const anyDocument = fc.dictionary(fc.constantFrom('a', 'b'), anyValue, { maxKeys: 2, noNullPrototype: true });
const anyPath = fc.array(fc.constantFrom('a', 'b', '0', '1'), { maxLength: 2 }).map((rest) => ['a', ...rest]);

function isDue(value: unknown, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return (Array.isArray(value) ? value : [value]).some(isDueDate);
  if (Array.isArray(value)) {
    const index = Number(first);
    if (index < value.length) return isDue(value[index], rest);
    return value.some((element) => isDocument(element) && isDue(element, path));
  }
  return isDocument(value) && Object.hasOwn(value, first) && isDue(value[first], rest);
}

function isDueDate(value: unknown): boolean {
  return value instanceof Date && value.getTime() <= LIMIT_MS;
}

function isDocument(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

test('a scan finds a document just if its path leads to a date that is due', () => {
  fc.assert(
    fc.property(
      fc.array(anyDocument, { maxLength: 8 }),
      anyPath,
      fc.constantFrom(1, -1, 2.5),
      fc.boolean(),
      (documents, path, direction, sparse) => {
        const engine = new StorageEngine();
        const collection = engine.createCollection('app.c', { uuid: new Uint8Array(16) });
        const key = { [path.join('.')]: direction };
        engine.createIndex(
          'app.c',
          parseIndexSpec(encodeDocument({ v: 2, key, name: 'ttl', sparse, expireAfterSeconds: 0 })),
        );
        const expected = new Map<number, boolean>();
        for (const [_id, document] of documents.entries()) {
          const recordId = inserted(engine, { _id, ...document });
          if (recordId !== undefined) expected.set(recordId, isDue(document, path));
        }
        const scan = new IndexScan(collection, collection.index('ttl')!, 0, LIMIT_MS);
        const found: { recordId: number; dateMs: number }[] = [];
        for (let next = scan.next(); next; next = scan.next()) {
          found.push({ recordId: next.recordId, dateMs: scan.dueDate(next.document)! });
        }
        const due = [...expected].filter(([, is]) => is).map(([recordId]) => recordId);
        expect(new Set(found.map(({ recordId }) => recordId))).toEqual(new Set(due));
        for (const [recordId, is] of expected) {
          expect(scan.dueDate(collection.get(recordId)!) !== undefined).toBe(is);
        }
        // Oldest first: whoever comes up for the first time is not older than those before.
        const first = found.filter(({ recordId }, i) => found.findIndex((each) => each.recordId === recordId) === i);
        expect(first.map(({ dateMs }) => dateMs)).toEqual(first.map(({ dateMs }) => dateMs).sort((a, b) => a - b));
      },
    ),
    { numRuns: 500 },
  );
});

/** Undefined for a document that no index can take: a number in the path may mean an element or a field. */
function inserted(engine: StorageEngine, document: object): number | undefined {
  try {
    return engine.insert('app.c', new StoredDocument(encodeDocument(document)));
  } catch (error) {
    if (error instanceof CommandError && error.code === 16746) return undefined;
    throw error;
  }
}

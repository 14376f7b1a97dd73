import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkBson } from '@replsim/pipeline';
import { BsonType, type BsonValue, decodeDocument, ElementCursor, encodeDocument, readInt32 } from '@replsim/protocol';
import { combineNumbers, compareValues } from '@replsim/query';
import { encodeKey } from '@replsim/storage';
import { rewritten } from './rewrite.ts';

// The BSON corpus of the driver specifications against what reads and writes BSON here: npm run vectors -- FOLDER, which is
// searched for its files, *.json. The exit code is 1 if anything failed. What it has beside the bytes, which is how values are
// written as text, is the affair of the bson package.

interface Corpus {
  readonly deprecated?: boolean;
  readonly valid?: readonly Valid[];
  readonly decodeErrors?: readonly { readonly description: string; readonly bson: string }[];
}

interface Valid {
  readonly description: string;
  readonly canonical_bson: string;
  readonly degenerate_bson?: string;
  readonly lossy?: boolean;
}

/** Malformed to drivers, and taken by a mongod, which looks into neither. */
const TAKEN_BY_MONGOD = /invalid UTF-8|bad UTF-8|subtype 0x02 length/i;

const bytesOf = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
const hexOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex').toUpperCase();

/** What is wrong with how a case is read and written; none if all is well. */
function complaints(test: Valid, deprecated: boolean): string[] {
  const found: string[] = [];
  const expectBytes = (what: string, actual: () => Uint8Array, expected = test.canonical_bson) => {
    const hex = tried(() => hexOf(actual()));
    if (hex !== expected.toUpperCase()) found.push(`${what}: ${hex}`);
  };
  const bytes = bytesOf(test.canonical_bson);
  const refusal = refusalOf(bytes);
  if (refusal) found.push(`it is refused: ${refusal}`);
  expectBytes('written again', () => rewritten(bytes));
  // JavaScript has no values for what is deprecated, and one NaN.
  if (!deprecated) expectBytes('through JavaScript values', () => encodeDocument(decodeDocument(bytes)));
  if (test.degenerate_bson !== undefined && !deprecated) {
    const degenerate = bytesOf(test.degenerate_bson);
    expectBytes('degenerate, through JavaScript values', () => encodeDocument(decodeDocument(degenerate)));
  }
  for (const value of valuesOf(bytes)) if (value.type === BsonType.decimal) found.push(...decimalComplaints(value));
  return found;
}

const ONE: BsonValue = { type: BsonType.int, bytes: Uint8Array.of(1, 0, 0, 0), offset: 0, size: 4 };

/** A decimal times 1 is itself: the same number, and exponent and sign too where there is one way to write it. */
function decimalComplaints(value: BsonValue): string[] {
  const product = combineNumbers('multiply', value, ONE);
  if (!product) return ['times 1 it is nothing'];
  const found = compareValues(value, product) === 0 ? [] : ['times 1 it is another number'];
  const given = hexOf(value.bytes.subarray(value.offset, value.offset + value.size));
  const kept = hexOf(product.bytes.subarray(product.offset, product.offset + product.size));
  return given === kept || !isCanonical(value) ? found : [...found, `times 1 it is written ${kept}, not ${given}`];
}

/** NaN has many forms, of which arithmetic gives one; a coefficient of more than 34 digits is another way to write 0. */
function isCanonical({ bytes, offset }: BsonValue): boolean {
  const combination = (readInt32(bytes, offset + 12) >>> 26) & 0x1f;
  const isInfinity = combination === 0x1e;
  return isInfinity || combination < 0x18;
}

function valuesOf(bytes: Uint8Array): BsonValue[] {
  const values: BsonValue[] = [];
  const cursor = new ElementCursor(bytes);
  while (cursor.next()) values.push(cursor.value());
  return values;
}

/** Pairs of values whose index keys lie otherwise than the values compare. */
function keyComplaints(values: readonly BsonValue[]): string[] {
  const keys = values.map((value) => encodeKey(value));
  return values.flatMap((a, i) =>
    values.flatMap((b, j) => {
      const [x = '', y = ''] = [keys[i], keys[j]];
      const byKey = x < y ? -1 : x > y ? 1 : 0;
      const byValue = Math.sign(compareValues(a, b));
      return byKey === byValue ? [] : [`keys of values ${i} and ${j} compare ${byKey}, the values ${byValue}`];
    }),
  );
}

function refusalOf(bytes: Uint8Array): string | undefined {
  try {
    checkBson(bytes);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

function tried(run: () => string): string {
  try {
    return run();
  } catch (error) {
    return String(error);
  }
}

let [passed, failed] = [0, 0];
const everyValue: BsonValue[] = [];

/** Counts cases of a file, and says which failed. */
function report(file: string, cases: readonly (readonly [description: string, complaints: readonly string[]])[]): void {
  const bad = cases.filter(([, found]) => found.length > 0);
  passed += cases.length - bad.length;
  failed += bad.length;
  console.log(`${file}: ${cases.length - bad.length} passed, ${bad.length} failed`);
  for (const [description, found] of bad) for (const line of found) console.log(`  ${description}: ${line}`);
}

const [folder] = process.argv.slice(2);
const files = folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' });
const vectors = files.filter((file) => file.endsWith('.json')).sort();
if (folder === undefined || vectors.length === 0) {
  console.error('npm run vectors -- FOLDER, where the JSON files of the BSON corpus lie');
  process.exit(2);
}
for (const file of vectors) {
  const {
    valid = [],
    decodeErrors = [],
    deprecated = false,
  }: Corpus = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  for (const { canonical_bson } of valid) everyValue.push(...valuesOf(bytesOf(canonical_bson)));
  report(file, [
    ...valid.map((test) => [test.description, complaints(test, deprecated)] as const),
    ...decodeErrors.map(({ description, bson }) => {
      const isRefused = refusalOf(bytesOf(bson)) !== undefined;
      const found = isRefused === TAKEN_BY_MONGOD.test(description) ? [isRefused ? 'refused' : 'not refused'] : [];
      return [description, found] as const;
    }),
  ]);
}
report('index keys of all values', [[`${everyValue.length} values`, keyComplaints(everyValue)]]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

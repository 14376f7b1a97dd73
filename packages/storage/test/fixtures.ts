import { encodeDocument } from '@replsim/protocol';
import { StoredDocument } from '../src/collection/storedDocument.ts';
import { StorageEngine } from '../src/engine.ts';
import { type IndexSpec, parseIndexSpec } from '../src/keys/indexSpec.ts';

/** A document as storage takes it. */
export const doc = (value: object): StoredDocument => new StoredDocument(encodeDocument(value));

/** An index spec in one line. */
export const spec = (key: object, options: object = {}): IndexSpec =>
  parseIndexSpec(encodeDocument({ v: 2, key, name: nameOf(key), ...options }));

const nameOf = (key: object) => Object.entries(key).flat().join('_');

/** A UUID that only its number tells from others. */
export const uuid = (n: number): Uint8Array => new Uint8Array(16).fill(n);

/** An engine with these collections, empty. */
export function engineWith(...namespaces: string[]): StorageEngine {
  const engine = new StorageEngine();
  namespaces.forEach((ns, i) => {
    engine.createCollection(ns, { uuid: uuid(i + 1) });
  });
  return engine;
}

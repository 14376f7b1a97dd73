import { expect, test } from 'vitest';
import { parseScenario } from '../../src/language/parse.ts';

const read = (insert: string) => () =>
  parseScenario(`name: a\nsteps:\n  - insert: { into: app.a, ${insert} }\n`, 'a.yaml');

test.each([
  ['path: docs.json', /documents of a file are inserted by file: docs.jsonl/],
  ['file: docs.json', /"docs.json" cannot be read here: .*[\s\S]*replsim run FILE/],
  [
    'file: docs.json, documents: [{ _id: 1 }]',
    /an insert has either "documents", or "count" and "document", or "file"/,
  ],
  ['file: { name: docs.json, bson: "?" }', /this is not Base64/],
  [
    'file: { name: docs.json, bson: "BgAAAAA=" }',
    /docs.json: document 1, at byte 0: it claims 6 bytes, and the file ends after 5/,
  ],
])('%s is refused', (insert, message) => {
  expect(read(insert)).toThrow(message);
});

test('what a text carries is read without the file', () => {
  expect(read('file: { name: docs.json, bson: "BQAAAAA=" }')).not.toThrow();
});

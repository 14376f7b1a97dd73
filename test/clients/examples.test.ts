import * as mongodb from 'mongodb';
import { describe, expect, test } from 'vitest';
import { blocksOf } from '../docs/markdown.ts';
import { useServedSet } from './servedSets.ts';

// The example of docs/serve.md in Node.js, as it stands there. Those in other languages: test/languages and test/mongosh.

const [example] = blocksOf('docs/serve.md').filter(({ what }) => what === 'in Node.js');

describe.each([0, 1])('at speed %i', (speed) => {
  const served = useServedSet({ speed });

  test('a driver kills the primary, and goes on', async () => {
    const printed: unknown[] = [];
    const code = example!.code
      .replace(/import (.*) from 'mongodb';/, 'const $1 = mongodb;')
      .replace('mongodb://127.0.0.1:27017/?replicaSet=rs0', served().uri);
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor;
    await new AsyncFunction('mongodb', 'console', code)(mongodb, { log: (word: unknown) => printed.push(word) });
    expect(printed).toEqual([2]);
  });
});

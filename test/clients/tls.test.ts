import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// The connection string of a set with TLS is all that a client needs.

const served = useServedSet({ members: 3, tls: true });
const newClient = useClients();
const run = promisify(execFile);

test('the driver writes over TLS, and follows a failover', async () => {
  const client = newClient(served().uri);
  const items = client.db('app').collection<{ _id: number }>('items');
  await items.insertOne({ _id: 1 });
  await served().stepDown();
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(2);
  const { transportSecurity } = await client.db('admin').command({ serverStatus: 1 });
  expect(transportSecurity['1.3']).toBeGreaterThan(0);
});

test('TLS and a compressor go together', async () => {
  const client = newClient(served().uri, { compressors: ['zlib'] });
  const items = client.db('app').collection<{ _id: number; text: string }>('large');
  await items.insertOne({ _id: 1, text: 'x'.repeat(1_000_000) });
  expect((await items.findOne({ _id: 1 }))?.text).toHaveLength(1_000_000);
});

test.for([
  ['a client without TLS', (uri: string) => uri.replace(/&tls=.*/, '')],
  ['a client that does not know the authority', (uri: string) => uri.replace(/&tlsCAFile=.*/, '')],
] as const)('%s does not come in', async ([, changed]) => {
  const client = newClient(changed(served().uri), { serverSelectionTimeoutMS: 1000 });
  await expect(client.connect()).rejects.toThrow();
});

const has = (command: string) => spawnSync('sh', ['-c', command]).status === 0;

describe.runIf(has('/usr/bin/python3 -c "import pymongo, ssl"'))('PyMongo', () => {
  test('writes and reads', async () => {
    const program = [
      'import sys, pymongo',
      'items = pymongo.MongoClient(sys.argv[1]).app.python',
      'items.insert_one({"_id": 1, "text": "x" * 50000})',
      'print(len(items.find_one({"_id": 1})["text"]))',
    ].join('\n');
    for (const more of ['', '&compressors=zlib']) {
      await newClient(served().uri).db('app').collection('python').deleteMany({});
      const { stdout } = await run('/usr/bin/python3', ['-c', program, `${served().uri}${more}`]);
      expect(stdout).toBe('50000\n');
    }
  });
});

describe.runIf(has('gcc --version && pkg-config --exists libmongoc-1.0'))('mongoc', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'replsim-mongoc-'));
    writeFileSync(join(folder, 'count.c'), PROGRAM);
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libmongoc-1.0'], { encoding: 'utf8' });
    execFileSync('gcc', ['count.c', '-o', 'count', ...flags.trim().split(/\s+/)], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.for(['', '&compressors=snappy', '&compressors=zstd'])('writes and counts %s', async (more) => {
    await newClient(served().uri).db('app').collection('c').deleteMany({});
    const { stdout } = await run(join(folder, 'count'), [`${served().uri}${more}`]);
    expect(stdout).toBe('1\n');
  });
});

/** Inserts a document, and prints how many there are. */
const PROGRAM = `
#include <mongoc/mongoc.h>
int main(int argc, char **argv) {
  bson_error_t error;
  mongoc_init();
  mongoc_client_t *client = mongoc_client_new(argv[1]);
  if (!client) return 2;
  mongoc_collection_t *collection = mongoc_client_get_collection(client, "app", "c");
  bson_t *document = BCON_NEW("_id", BCON_INT32(1));
  if (!mongoc_collection_insert_one(collection, document, NULL, NULL, &error)) {
    fprintf(stderr, "%s", error.message);
    return 1;
  }
  bson_t all = BSON_INITIALIZER;
  printf("%d\\n", (int) mongoc_collection_count_documents(collection, &all, NULL, NULL, NULL, &error));
  bson_destroy(document);
  mongoc_collection_destroy(collection);
  mongoc_client_destroy(client);
  mongoc_cleanup();
  return 0;
}
`;

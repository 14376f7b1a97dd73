import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandSucceededEvent } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useClients, useServedSet } from './servedSets.ts';

// Node's driver brings zlib alone; Debian's libmongoc has all three.

const served = useServedSet({ members: 3 });
const newClient = useClients();

const zlibBytes = async (): Promise<number> => {
  const { network } = await served().command(served().primary!, { serverStatus: 1 });
  return (network as { bytesIn: number }).bytesIn;
};

test('the driver agrees on zlib, and large documents go both ways', async () => {
  const client = newClient(served().uri, { compressors: ['zlib'], monitorCommands: true });
  const items = client.db('app').collection<{ _id: number; text: string }>('items');
  const told: CommandSucceededEvent[] = [];
  client.on('commandSucceeded', (event) => told.push(event));
  await items.insertOne({ _id: 1, text: 'x'.repeat(100_000) });
  expect(await items.findOne({ _id: 1 })).toMatchObject({ text: 'x'.repeat(100_000) });
  const { network } = await client.db('admin').command({ serverStatus: 1 });
  expect(network.compression.zlib.decompressor.bytesOut).toBeGreaterThan(100_000);
  expect(network.compression.zlib.compressor.bytesIn).toBeGreaterThan(100_000);
  expect(network.physicalBytesIn).toBeLessThan(network.bytesIn - 90_000);
  expect(await zlibBytes()).toBeGreaterThan(100_000);
  expect(told.length).toBeGreaterThanOrEqual(3);
});

test('a driver that compresses follows a failover', async () => {
  const client = newClient(served().uri, { compressors: ['zlib'] });
  const items = client.db('app').collection<{ _id: number }>('failover');
  await items.insertOne({ _id: 1 });
  await served().stepDown();
  await items.insertOne({ _id: 2 });
  expect(await items.countDocuments()).toBe(2);
});

const hasMongoc = spawnSync('sh', ['-c', 'gcc --version && pkg-config --exists libmongoc-1.0']).status === 0;

describe.runIf(hasMongoc)('mongoc', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'replsim-mongoc-'));
    writeFileSync(join(folder, 'echo.c'), PROGRAM);
    const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libmongoc-1.0'], { encoding: 'utf8' });
    execFileSync('gcc', ['echo.c', '-o', 'echo', ...flags.trim().split(/\s+/)], { cwd: folder });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.for(['snappy', 'zlib', 'zstd'])('%s', async (name) => {
    const uri = `${served().uri}&compressors=${name}`;
    const child = spawn(join(folder, 'echo'), [uri, name], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(said).toBe('50000\n');
    expect(code).toBe(0);
    const client = newClient(served().uri);
    const { network } = await client.db('admin').command({ serverStatus: 1 });
    expect(network.compression[name].decompressor.bytesOut).toBeGreaterThan(50_000);
    expect(network.compression[name].compressor.bytesIn).toBeGreaterThan(50_000);
  });
});

/** Writes a long text, reads it, and prints how long it is. */
const PROGRAM = `
#include <mongoc/mongoc.h>
int main(int argc, char **argv) {
  bson_error_t error;
  static char text[50001];
  memset(text, 'x', 50000);
  mongoc_init();
  mongoc_client_t *client = mongoc_client_new(argv[1]);
  if (!client) return 2;
  mongoc_collection_t *collection = mongoc_client_get_collection(client, "app", argv[2]);
  bson_t *document = BCON_NEW("_id", BCON_INT32(1), "text", BCON_UTF8(text));
  if (!mongoc_collection_insert_one(collection, document, NULL, NULL, &error)) {
    fprintf(stderr, "%s", error.message);
    return 1;
  }
  bson_t *filter = BCON_NEW("_id", BCON_INT32(1));
  mongoc_cursor_t *cursor = mongoc_collection_find_with_opts(collection, filter, NULL, NULL);
  const bson_t *found;
  bson_iter_t iter;
  uint32_t length = 0;
  if (mongoc_cursor_next(cursor, &found) && bson_iter_init_find(&iter, found, "text")) bson_iter_utf8(&iter, &length);
  if (mongoc_cursor_error(cursor, &error)) fprintf(stderr, "%s", error.message);
  printf("%u\\n", length);
  mongoc_cursor_destroy(cursor);
  bson_destroy(filter);
  bson_destroy(document);
  mongoc_collection_destroy(collection);
  mongoc_client_destroy(client);
  mongoc_cleanup();
  return 0;
}
`;

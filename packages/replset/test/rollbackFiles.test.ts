import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodePromoted, encodeDocument, readInt32 } from '@replsim/protocol';
import { expect, test } from 'vitest';
import { ReplSet } from '../src/replSet.ts';

type Doc = Record<string, unknown>;

test('under --dbpath a rollback leaves a BSON file where a mongod does, and the next process knows it', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'rollback-'));
  const members = ['n1', 'n2', 'n3'].map((name) => ({ name }));
  const set = await ReplSet.create({ members, dbpath: directory, seed: 4 });
  const ask = (name: string, command: Doc, db = 'admin') =>
    decodePromoted(set.ask(name, encodeDocument({ ...command, $db: db }))) as Doc;
  const until = async (done: () => boolean) => expect(await set.runUntil(done, set.nowMicros + 120_000_000)).toBe(true);
  const isPrimary = (name: string) => ask(name, { hello: 1 }).isWritablePrimary === true;
  const insert = async (name: string, _id: string, w: unknown) => {
    const pending = set.send(
      name,
      encodeDocument({ insert: 'c', documents: [{ _id }], writeConcern: { w }, $db: 'app' }),
    );
    await until(() => pending.reply !== undefined);
    expect(decodePromoted(pending.reply!)).toMatchObject({ ok: 1, n: 1 });
  };
  const files = () =>
    ask('n1', { replsimRollbackFiles: 1 }).files as { path: string; collection: string; documents: Doc[] }[];
  try {
    await until(() => isPrimary('n1'));
    await insert('n1', 'kept', 3);
    set.partition([['n1'], ['n2', 'n3']]);
    await insert('n1', 'lost', 1);
    await insert('n1', 'lost too', 1);
    await until(() => isPrimary('n2') || isPrimary('n3'));
    await insert(isPrimary('n2') ? 'n2' : 'n3', 'newer', 'majority');
    set.heal('all');
    await until(() => files().length > 0 && ask('n1', { replSetGetStatus: 1 }).myState === 2);

    const [file] = files();
    expect(file!.documents).toEqual([{ _id: 'lost' }, { _id: 'lost too' }]);
    const folder = join(directory, 'n1', 'rollback', file!.collection);
    const [name] = readdirSync(folder);
    expect(`rollback/${file!.collection}/${name}`).toBe(file!.path);
    expect(name).toMatch(/^removed\.2025-01-01T00-00-\d\d\.0\.bson$/);
    expect(documentsIn(readFileSync(join(folder, name!)))).toEqual(file!.documents);

    set.kill('n1');
    await set.start('n1');
    expect(files()).toEqual([file]);
    expect(ask('n1', { replsimRollbackFiles: 1, path: 'another' }).files).toEqual([]);
    set.kill('n1');
    await set.start('n1', { wipe: true });
    expect(files()).toEqual([]);
  } finally {
    await set.close();
    rmSync(directory, { recursive: true });
  }
});

function documentsIn(bytes: Uint8Array): unknown[] {
  const documents: unknown[] = [];
  for (let at = 0; at < bytes.length; at += readInt32(bytes, at)) {
    documents.push(decodePromoted(bytes.subarray(at, at + readInt32(bytes, at))));
  }
  return documents;
}

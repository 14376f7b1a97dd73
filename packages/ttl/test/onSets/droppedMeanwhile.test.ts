import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { ReplSet } from '@replsim/replset';
import { expect, test } from 'vitest';

test('a TTL visit under way deletes nothing from a new collection of the old name', async () => {
  // Slow deletions, so that the drop falls into the middle of a batch.
  const set = await ReplSet.create({
    members: [{ name: 'n1', standalone: true }],
    initiate: false,
    costs: { deleteMicros: 1_000_000 },
  });
  const run = async (command: object) => {
    const pending = set.send('n1', encodeDocument({ ...command, $db: 'app' }));
    await set.runUntil(() => pending.reply !== undefined, set.nowMicros + 1_000_000);
    return decodePromoted(pending.reply!);
  };
  await run({ createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 0 }] });
  await run({ insert: 'c', documents: Array.from({ length: 5 }, (_, _id) => ({ _id, at: new Date(0) })) });
  await set.advanceTo(60_500_000);
  expect(await run({ drop: 'c' })).toMatchObject({ ok: 1 });
  await run({ insert: 'c', documents: [{ _id: 'fresh' }] });
  await set.advanceTo(100_000_000);
  expect(await run({ count: 'c' })).toMatchObject({ n: 1 });
  await set.close();
});

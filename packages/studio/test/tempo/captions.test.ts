import { expect, test } from 'vitest';
import { captionAt } from '../../src/tempo/captions.ts';
import { EVENT_SIGHTS, FLIGHT_SIGHTS } from '../../src/tempo/sights.ts';
import { filmOf } from '../../src/tempo/tempo.ts';
import { traceOf } from '../core/lesson/traced.ts';

const textsOf = async (file: string) => filmOf({ events: await traceOf(file) }).captions.map(({ text }) => text);

/** Each of them, in this order, with others between them. */
function expectInOrder(texts: readonly string[], expected: readonly string[]): void {
  let from = 0;
  for (const each of expected) {
    const found = texts.indexOf(each, from);
    expect(found, `"${each}" behind line ${from} of\n${texts.join('\n')}`).toBeGreaterThanOrEqual(0);
    from = found + 1;
  }
}

test('a failover says who died, how it was noticed, who asked whom, who won, and when writes went on', async () => {
  expectInOrder(await textsOf('election/failover-on-kill'), [
    'n1 is killed',
    'n3 notices: n1 does not answer',
    'n2 has not heard from a primary for 10s, and asks who would vote for it',
    'n3 would vote for n2',
    'n2 stands for election in term 2: now the votes count',
    'n3 votes for n2',
    'n2 is primary of term 2, with 2 votes',
    'n2 accepts writes',
    'The first write of term 2 has a majority',
  ]);
});

test('a rollback says which entries go, and where to', async () => {
  const texts = await textsOf('lessons/05-what-a-rollback-takes-away');
  expectInOrder(texts, ['The network splits: n1 on one side, n2 and n3 on the other']);
  expect(texts.filter((text) => /^n1 has entries that n\d does not have: it rolls back$/.test(text))).toHaveLength(1);
  expect(texts.filter((text) => /^n1 removes \d+ entr(y|ies) from its oplog$/.test(text))).toHaveLength(1);
});

test('TTL says who deletes, and who follows', async () => {
  const texts = await textsOf('lessons/06-who-deletes-expired-documents');
  expect(texts.some((text) => /^n1 deletes \d+ expired documents? from app\.sessions$/.test(text))).toBe(true);
  expect(texts).toContain('n2 deletes them from app.sessions as well, because its primary did');
});

test('at an instant the newest is said, and before the first nothing', async () => {
  const history = { events: await traceOf('election/failover-on-kill') };
  const { captions } = filmOf(history);
  for (const [i, caption] of captions.entries()) {
    expect(captionAt(history, caption.atMicros)).toBe(caption);
    expect(captionAt(history, caption.atMicros - 1)).toBe(captions[i - 1]);
  }
});

test('every row of the table has its reason, and no kind is there twice', () => {
  const rows = [...EVENT_SIGHTS, ...FLIGHT_SIGHTS];
  expect(rows.filter(({ why, filmMs }) => why === '' || filmMs <= 0)).toEqual([]);
  const kinds = rows.map(({ kind }) => kind);
  expect(kinds.filter((kind, i) => kinds.indexOf(kind) !== i)).toEqual([]);
});

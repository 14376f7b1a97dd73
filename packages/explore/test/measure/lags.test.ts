import { expect, test } from 'vitest';
import { Lags } from '../../src/measure/lags.ts';

// What counts as replication lag: entries of clients, from where they were written to where they were applied.

const entry = (i: number, op: string, ns: string) => ({ opTime: { ts: { t: 1, i }, t: 1 }, operations: [{ op, ns }] });
const wrote = (atMicros: number, ...entries: object[]) =>
  ({ type: 'oplogWritten', origin: 'self', member: 'n1', atMicros, entries }) as never;
const applied = (atMicros: number, ...batch: object[]) => ({ type: 'applied', member: 'n2', atMicros, batch }) as never;

test.each([
  ['a no-op', entry(1, 'n', '')],
  ['a collection of the set itself', entry(1, 'c', 'config.$cmd')],
  ['a key of the cluster time', entry(1, 'i', 'admin.system.keys')],
])('%s is not counted', (_, own) => {
  const lags = new Lags();
  lags.observe(wrote(0, own));
  lags.observe(applied(600_000, own));
  expect(lags.lag).toBeUndefined();
  const written = entry(2, 'i', 'app.orders');
  lags.observe(wrote(1_000_000, written));
  lags.observe(applied(1_003_000, written));
  expect(lags.lag).toEqual({ medianMicros: 3000, worstMicros: 3000 });
});

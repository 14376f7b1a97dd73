import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { isAccessControlled } from '../../src/doors/limits.ts';
import { ServedSet } from '../../src/index.ts';
import { RawClient } from './rawClient.ts';

let served: ServedSet | undefined;
afterEach(() => served?.stop());

test('one connection too many is closed at once, and there is room again when one has gone', async () => {
  served = await ServedSet.start({ members: 1, maxIncomingConnections: 2 });
  const host = served.set.hostOf('n1');
  const [one, other] = [await RawClient.connect(host), await RawClient.connect(host)];
  expect(await other.ask({ ping: 1 })).toMatchObject({ ok: 1 });
  const third = await RawClient.connect(host);
  const remote = `${third.socket.localAddress}:${third.socket.localPort}`;
  await third.closed;
  const { connections } = await one.ask({ serverStatus: 1 });
  const { log } = await one.ask({ getLog: 'global' });
  expect(log.map((line: string) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ id: 22942, c: 'NETWORK', attr: { remote, connectionCount: 2 } }),
  );
  expect(connections).toMatchObject({ current: 2, rejected: 1 });
  other.socket.destroy();
  while ((await one.ask({ serverStatus: 1 })).connections.current > 1);
  const fourth = await RawClient.connect(host);
  expect(await fourth.ask({ ping: 1 })).toMatchObject({ ok: 1 });
  fourth.socket.destroy();
  one.socket.destroy();
  await once(one.socket, 'close');
});

test('who comes and goes without end does not fill the log, and the others are answered', async () => {
  const parameters = { clientLogLinesPerSecond: 5 };
  served = await ServedSet.start({ members: 1, parameters });
  const host = served.set.hostOf('n1');
  const good = await RawClient.connect(host);
  const linesOf = async () => (await good.ask({ getLog: 'global' })).log.map((line: string) => JSON.parse(line));
  for (let i = 0; i < 200; i++) {
    const bad = await RawClient.connect(host);
    bad.socket.destroy();
    if (i % 50 === 0) expect(await good.ask({ ping: 1 })).toMatchObject({ ok: 1 });
  }
  const isTold = ({ id }: { id: number }) => id === 1;
  while (!(await linesOf()).some(isTold));
  const [told] = (await linesOf()).filter(isTold);
  expect(told).toMatchObject({ s: 'W', c: 'CONTROL', attr: { perSecond: 5, lines: { 22943: expect.any(Number) } } });
  good.socket.destroy();
  await once(good.socket, 'close');
});

test('serverStatus counts messages that are too long', async () => {
  served = await ServedSet.start({ members: 1 });
  const host = served.set.hostOf('n1');
  const [one, other] = [await RawClient.connect(host), await RawClient.connect(host)];
  await other.write(Buffer.from('80ffffff00000000', 'hex').fill(0x7f, 0, 4));
  await other.closed;
  expect((await one.ask({ serverStatus: 1 })).metrics.network).toMatchObject({
    totalMessageSizeErrorPreAuth: 1,
    totalMessageSizeErrorPostAuth: 0,
  });
  one.socket.destroy();
});

test.for([
  [{}, false],
  [{ access: { authorization: true } }, true],
  [{ access: { keys: ['a'] } }, true],
  [{ access: { keys: ['a'], authorization: false } }, false],
  [{ access: { keys: ['a'], transitionToAuth: true } }, false],
] as const)('%j: %s', ([options, controlled]) => {
  expect(isAccessControlled(options)).toBe(controlled);
});

import { once } from 'node:events';
import { connect, type Server, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { MemberListener } from '../../src/doors/memberListener.ts';

test('a connection that cannot be accepted is lost, and others are accepted', async () => {
  const listener = await MemberListener.open('n1', '127.0.0.1', 0);
  const taken: Socket[] = [];
  let heard = () => {};
  listener.serve((socket) => {
    taken.push(socket);
    heard();
  });
  const come = async () => {
    const accepted = new Promise<void>((resolve) => {
      heard = resolve;
    });
    const client = connect(listener.port, listener.address);
    await Promise.all([once(client, 'connect'), accepted]);
    return client;
  };
  const clients = [await come()];
  // What node says of an accept that fails, as it does where file descriptors are used up.
  const { server } = taken[0] as Socket & { server: Server };
  expect(() => server.emit('error', new Error('accept EMFILE'))).not.toThrow();
  clients.push(await come());
  expect(taken).toHaveLength(2);
  for (const socket of [...clients, ...taken]) socket.destroy();
  listener.close();
});

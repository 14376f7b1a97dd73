import { expect, test } from 'vitest';
import { type ReachOptions, reachOf, reachText } from '../../src/doors/reach.ts';

const LOGIN = { access: { keys: ['a key'] } };
const TLS = { tls: true };

test.for<[ReachOptions, object, string]>([
  [{}, { address: '127.0.0.1', listenAt: '127.0.0.1', anyClient: false }, 'on loopback only, without access control'],
  [{ ip: 'localhost', ...LOGIN }, { address: '127.0.0.1', anyClient: false }, 'on loopback only, with access control'],
  [{ ip: '::1' }, { address: '::1', listenAt: '::1', anyClient: false }, 'on loopback only, without access control'],
  [
    { anyClient: true },
    { address: '127.0.0.1', listenAt: '0.0.0.0', anyClient: true },
    'open to every client that reaches this machine, without access control',
  ],
  [
    { ip: '0.0.0.0', ...LOGIN, ...TLS },
    { address: '127.0.0.1', listenAt: '0.0.0.0', anyClient: true },
    'open to every client that reaches this machine, with access control and requireTLS',
  ],
  [
    { ip: '::', ...LOGIN, ...TLS },
    { address: '::1', listenAt: '::', anyClient: true },
    'open to every client that reaches this machine, with access control and requireTLS',
  ],
  [
    { ip: '192.0.2.1', isOpen: true },
    { address: '192.0.2.1', listenAt: '192.0.2.1', anyClient: true },
    'open to every client that reaches 192.0.2.1, without access control',
  ],
])('%j', ([options, reach, text]) => {
  expect(reachOf(options)).toMatchObject(reach);
  expect(reachText(options)).toBe(text);
});

const OPEN = 'everybody who reaches it could do everything. Turn on access control and TLS';

test.for<[ReachOptions, string]>([
  [{ ip: '0.0.0.0' }, OPEN],
  [{ ip: '192.0.2.1' }, OPEN],
  [{ ip: '192.0.2.1', ...LOGIN }, OPEN],
  [{ ip: '192.0.2.1', ...TLS }, OPEN],
  [{ ip: '192.0.2.1', ...LOGIN, tls: { mode: 'preferTLS', certificateKeyFile: 'a.pem' } }, OPEN],
  [{ ip: '192.0.2.1', access: { keys: ['a key'], transitionToAuth: true }, ...TLS }, OPEN],
  [{ ip: 'example.com', isOpen: true }, 'it is not an IP address'],
])('%j is refused', ([options, told]) => {
  expect(() => reachOf(options)).toThrow(told);
  expect(() => reachOf(options)).toThrow(RangeError);
});

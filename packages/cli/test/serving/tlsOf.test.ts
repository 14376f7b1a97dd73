import { existsSync } from 'node:fs';
import { MongoClient } from 'mongodb';
import { expect, test } from 'vitest';
import { InputError } from '../../src/io.ts';
import { main } from '../../src/main.ts';
import { tlsOf } from '../../src/serving/tlsOf.ts';
import { serve } from '../serving.ts';

test.for([
  [{}, undefined, {}],
  [{ tls: true }, undefined, { tls: true }],
  [{ tlsCertificateKeyFile: 'a' }, undefined, { tls: { certificateKeyFile: 'a' } }],
  [{ sslPEMKeyFile: 'a', sslMode: 'requireSSL' }, undefined, { tls: { certificateKeyFile: 'a', mode: 'requireSSL' } }],
  [{ tlsMode: 'allowTLS', sslMode: 'requireSSL' }, undefined, { tls: { mode: 'allowTLS' } }],
  [{ tlsCAFile: 'b' }, { CAFile: 'a', mode: 'preferTLS' }, { tls: { CAFile: 'b', mode: 'preferTLS' } }],
] as const)('%j over %j', ([options, conf, tls]) => {
  expect(tlsOf(options, conf)).toEqual(tls);
});

test('certificates of one kind', () => {
  expect(() => tlsOf({ tls: true, tlsCAFile: 'a' })).toThrow(InputError);
});

test('serve --tls says where its certificates lie, and drivers connect by what it prints', async () => {
  const serving = await serve('--members', '1', '--port', '0', '--tls', '--quiet');
  const folder = /^TLS \(requireTLS\): ca\.pem, server\.pem, client\.pem in (\S+), for as long/m.exec(
    serving.out(),
  )![1]!;
  const client = new MongoClient(serving.uri);
  expect(await client.db('app').command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  expect(await serving.interrupt()).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test.for([
  [['--tlsMode', 'requireTLS'], 'needs tlsCertificateKeyFile'],
  [['--tlsCertificateKeyFile', 'no/such.pem'], 'tlsCertificateKeyFile: cannot read no/such.pem: there is no such file'],
  [['--tls', '--tlsCAFile', 'ca.pem'], 'leave one out'],
  [['--sslMode', 'requireSSL', '--sslPEMKeyFile', 'no/such.pem'], 'cannot read no/such.pem: there is no such file'],
  [['--sslMode', 'requireSSL'], 'tlsMode requireTLS needs tlsCertificateKeyFile'],
  [['--sslMode', 'always'], 'tlsMode: "always" is none of disabled, allowTLS, preferTLS, requireTLS'],
  [['--sslMode', 'disabled', '--sslCAFile', 'ca.pem'], 'tlsMode is disabled, and other options need TLS: tlsCAFile'],
] as const)('serve %s', async ([args, told]) => {
  let err = '';
  const io = { out: () => {}, err: (text: string) => (err += text), colours: false, progress: false };
  expect(await main(['serve', '--port', '0', ...args], io)).toBe(2);
  expect(err).toContain(told);
});

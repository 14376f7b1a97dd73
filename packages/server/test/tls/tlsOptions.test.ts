import { expect, test } from 'vitest';
import { checkedTls, type TlsOptions } from '../../src/tls/tlsOptions.ts';

const F = { certificateKeyFile: 'a.pem' };

test.for([
  [undefined, undefined],
  [false, undefined],
  [{ mode: 'disabled' }, undefined],
  [true, { mode: 'requireTLS', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' }],
  [F, { ...F, mode: 'requireTLS', minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3' }],
  [{ ...F, mode: 'preferSSL' }, { mode: 'preferTLS' }],
  [{ ...F, mode: 'allowTLS' }, { mode: 'allowTLS' }],
  [
    { ...F, disabledProtocols: 'TLS1_0,TLS1_2' },
    { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
  ],
  [
    { ...F, disabledProtocols: 'TLS1_3' },
    { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  ],
] as const)('%j', ([given, checked]) => {
  const found = checkedTls(given as TlsOptions);
  if (checked === undefined) expect(found).toBeUndefined();
  else expect(found).toMatchObject(checked);
});

test.for([
  [{ mode: 'onTLS' }, 'tlsMode: "onTLS" is none of disabled, allowTLS, preferTLS, requireTLS'],
  [{ mode: 'requireTLS' }, 'needs tlsCertificateKeyFile: a PEM file with a certificate and its key; --tls makes one'],
  [{ CAFile: 'ca.pem' }, 'needs tlsCertificateKeyFile'],
  [{ mode: 'disabled', CAFile: 'ca.pem', ...F }, 'other options need TLS: tlsCAFile, tlsCertificateKeyFile'],
  [{ ...F, disabledProtocols: 'SSL3' }, '"SSL3" is none of TLS1_0, TLS1_1, TLS1_2, TLS1_3'],
  [{ ...F, disabledProtocols: 'TLS1_2,TLS1_3' }, 'no client could connect'],
] as const)('%j is refused', ([given, told]) => {
  expect(() => checkedTls(given as unknown as TlsOptions)).toThrow(told);
  expect(() => checkedTls(given as unknown as TlsOptions)).toThrow(RangeError);
});

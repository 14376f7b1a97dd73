import type { X509Certificate } from 'node:crypto';

/** What Node escapes in its own way, or not at all. */
const HIGH = /[\u0080-\u{10ffff}]/gu;

/**
 * The subject of a certificate in the form of RFC 2253, which names a user in `$external`: `CN=client,OU=Drivers,O=MongoDB`. Node has an
 * attribute a line, in the order of the certificate, and escapes what RFC 2253 does. Upstream: ssl_manager.cpp, SSLX509Name::toString.
 */
export function subjectOf({ subject }: Pick<X509Certificate, 'subject'>): string {
  return subject
    .split('\n')
    .reverse()
    .map((attribute) => attribute.replace(HIGH, (character) => escapedBytes(character)))
    .join(',');
}

function escapedBytes(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `\\${byte.toString(16).toUpperCase()}`).join('');
}

import { decodeDocument, decodePromoted, encodeDocument, firstKey } from '@replsim/protocol';
import type { Compression } from '../compression/compression.ts';
import type { SecureDoor } from '../tls/secureDoor.ts';
import type { Limits } from './limits.ts';

/** By which serverStatus calls the versions of TLS. Upstream: ssl_manager.cpp, TLSVersionStatus. */
const VERSIONS = { '1.0': 'TLSv1', '1.1': 'TLSv1.1', '1.2': 'TLSv1.2', '1.3': 'TLSv1.3', unknown: 'unknown' } as const;

type Status = Record<string, unknown>;

/** What sockets alone know of. */
export interface WireFacts {
  readonly compression: Compression;
  readonly secure: SecureDoor | undefined;
  readonly limits: Limits;
}

/**
 * The reply to a `serverStatus` with what sockets alone know of: a member's process never hears of compressors and handshakes. Every other
 * reply stays as it is. Upstream: message_compressor_metrics.cpp, appendMessageCompressionStats; ssl_manager.cpp, getSSLConfiguration.
 */
export function withWireSections(command: Uint8Array, reply: Uint8Array, facts: WireFacts): Uint8Array {
  if (firstKey(command) !== 'serverStatus') return reply;
  const status: Status = decodeDocument(reply);
  const { network, security, connections, metrics } = status as Record<string, Status | undefined>;
  if (connections !== undefined) connections.rejected = facts.limits.rejected;
  const counted = metrics?.network as Status | undefined;
  if (counted !== undefined) Object.assign(counted, sizeErrorsOf(facts));
  if (network !== undefined) Object.assign(network, networkOf(network, facts));
  if (security !== undefined) Object.assign(security, securityOf(facts));
  const { transportSecurity: asked = status.network !== undefined } = decodePromoted(command);
  if (status.ok === undefined || !asked) return encodeDocument(status);
  return encodeDocument(withBefore(status, ['wiredTiger', 'metrics', 'ok'], 'transportSecurity', versionsOf(facts)));
}

function networkOf({ bytesIn, bytesOut }: Status, { compression: { counts, saved } }: WireFacts): Status {
  const compression = Array.from(counts, ([name, { compressor, decompressor }]) => [
    name,
    { compressor: asInt64s(compressor), decompressor: asInt64s(decompressor) },
  ]);
  return {
    physicalBytesIn: BigInt(Math.max(0, Number(bytesIn) - saved.in)),
    physicalBytesOut: BigInt(Math.max(0, Number(bytesOut) - saved.out)),
    ...(counts.size > 0 && { compression: Object.fromEntries(compression) }),
  };
}

/** Upstream: 8.x, message_size_errors in metrics.network. */
function sizeErrorsOf({ limits }: WireFacts): Status {
  return {
    totalMessageSizeErrorPreAuth: BigInt(limits.tooLargePreAuth),
    totalMessageSizeErrorPostAuth: BigInt(limits.tooLargePostAuth),
  };
}

function securityOf({ secure }: WireFacts): Status {
  if (secure === undefined) return {};
  const { serverSubject, ca, expiresMs } = secure.material;
  return {
    SSLServerSubjectName: serverSubject,
    SSLServerHasCertificateAuthority: ca !== undefined,
    SSLServerCertificateExpirationDate: new Date(expiresMs),
  };
}

function versionsOf({ secure }: WireFacts): Status {
  return asInt64s(
    Object.fromEntries(Object.entries(VERSIONS).map(([name, version]) => [name, secure?.versions.get(version) ?? 0])),
  );
}

/** A field more, in front of the first of these that is there: sections stand in alphabetical order. */
function withBefore(status: Status, places: readonly string[], name: string, value: unknown): Status {
  const place = places.find((each) => each in status);
  return Object.fromEntries(
    Object.entries(status).flatMap(([key, each]) =>
      key === place
        ? [
            [name, value],
            [key, each],
          ]
        : [[key, each]],
    ),
  );
}

function asInt64s(counts: object): Status {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count as number)]));
}

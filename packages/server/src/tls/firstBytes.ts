import { readInt32 } from '@replsim/protocol';
import { HEADER_BYTES, MAX_MESSAGE_BYTES } from '../wire/messageHeader.ts';

/** Where a header has the id that it responds to. */
const RESPONSE_TO_AT = 8;
/** By which a browser begins. */
const GET = 0x20_54_45_47;
/** By which TLS begins: a record of its handshake. */
const HANDSHAKE = 0x16;

/** What a client begins to say. */
export type Beginning = 'plain' | 'tls' | 'http';

/**
 * What speaks out of the first bytes of a connection; undefined if more are needed. A request responds to nothing, and a ClientHello has its
 * version in that place. Upstream: asio_session_impl.cpp, maybeHandshakeSSLForIngress.
 */
export function beginningOf(bytes: Uint8Array): Beginning | undefined {
  if (bytes.length < 4) return undefined;
  const length = readInt32(bytes, 0);
  if (length === GET) return 'http';
  // No message is so long or so short: nobody waits for more of it.
  if (bytes[0] !== HANDSHAKE && (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES)) return 'plain';
  if (bytes.length < RESPONSE_TO_AT + 4) return undefined;
  const responseTo = readInt32(bytes, RESPONSE_TO_AT);
  return responseTo === 0 || responseTo === -1 ? 'plain' : 'tls';
}

const HTTP_TEXT = 'This is the port of a replica set member: connect with a MongoDB driver or mongosh, not HTTP\r\n';

/** The answer to a browser. */
export const HTTP_ANSWER = `HTTP/1.0 200 OK\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: ${HTTP_TEXT.length}\r\n\r\n${HTTP_TEXT}`;

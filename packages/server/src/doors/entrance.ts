import type { Socket } from 'node:net';
import type { ConnectionPeer, ConnectionRefusal } from '@replsim/protocol';
import { beginningOf, HTTP_ANSWER } from '../tls/firstBytes.ts';
import type { SecureDoor } from '../tls/secureDoor.ts';

/** Upstream: error_codes.yml, ProtocolError and SSLHandshakeFailed. */
const PROTOCOL_ERROR = 17;
const SSL_HANDSHAKE_FAILED = 141;

const HTTP: ConnectionRefusal = {
  code: PROTOCOL_ERROR,
  errmsg: 'Client sent an HTTP request over a native MongoDB connection',
};
const refusal = (errmsg: string): ConnectionRefusal => ({ code: SSL_HANDSHAKE_FAILED, errmsg });

/** What becomes of a client that comes to a port. Exactly one of these is called, unless it goes away before. */
export interface EntranceListener {
  /**
   * @param socket by which it is spoken with from now on
   * @param first what it has said already
   * @param peer absent where nobody asked how the connection is secured
   */
  entered(socket: Socket, first: Uint8Array, peer?: ConnectionPeer): void;
  refused(refusal: ConnectionRefusal): void;
}

/**
 * Waits for the first bytes of a connection, which tell TLS from a message. One port takes both. Upstream: asio_session_impl.cpp,
 * maybeHandshakeSSLForIngress.
 */
export function enter(socket: Socket, secure: SecureDoor | undefined, listener: EntranceListener): void {
  let first: Uint8Array = new Uint8Array(0);
  const onEnd = () => socket.end();
  const onData = (chunk: Uint8Array) => {
    first = first.length === 0 ? chunk : Buffer.concat([first, chunk]);
    const beginning = beginningOf(first);
    if (beginning === undefined) return;
    socket.off('data', onData);
    socket.off('end', onEnd);
    if (beginning === 'http') answerHttp(socket, listener);
    else if (beginning === 'tls') shakeHands(socket, first, secure, listener);
    else enterPlain(socket, first, secure, listener);
  };
  socket.on('data', onData);
  socket.on('end', onEnd);
}

function answerHttp(socket: Socket, listener: EntranceListener): void {
  socket.end(HTTP_ANSWER);
  listener.refused(HTTP);
}

function enterPlain(
  socket: Socket,
  first: Uint8Array,
  secure: SecureDoor | undefined,
  listener: EntranceListener,
): void {
  const mode = secure?.material.settings.mode;
  if (mode === 'requireTLS') {
    listener.refused(refusal('The server is configured to only allow SSL connections'));
    socket.destroy();
  } else if (mode === 'preferTLS') listener.entered(socket, first, {});
  else listener.entered(socket, first);
}

function shakeHands(
  socket: Socket,
  first: Uint8Array,
  secure: SecureDoor | undefined,
  listener: EntranceListener,
): void {
  if (secure === undefined) {
    listener.refused(refusal('SSL handshake received but server is started without SSL support'));
    socket.destroy();
    return;
  }
  // TLS reads it again, from the beginning.
  socket.pause();
  socket.unshift(first);
  secure.enter(socket, {
    secured: (secured, peer) => listener.entered(secured, new Uint8Array(0), peer),
    failed: (errmsg) => {
      listener.refused(refusal(errmsg));
      socket.destroy();
    },
  });
}

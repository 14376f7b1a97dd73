import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ConnectionPeer } from '@replsim/protocol';
import { subjectOf } from './subject.ts';
import type { CheckedTls } from './tlsOptions.ts';

/** How long a client may take for its handshake. A mongod has no such limit. Unit: ms. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** What ports of a set need for TLS, read and checked. */
export interface TlsMaterial {
  readonly settings: CheckedTls;
  /** A certificate with its chain, and its key. */
  readonly keyFile: string;
  readonly passphrase?: string | undefined;
  readonly ca?: string | undefined;
  readonly serverSubject: string;
  /** Unit: ms since 1970. */
  readonly expiresMs: number;
}

/** What becomes of a handshake. */
export interface HandshakeListener {
  secured(socket: TLSSocket, peer: ConnectionPeer): void;
  /** @param errmsg why the client does not come in */
  failed(errmsg: string): void;
}

/** Handshakes of one member's port, and what they have come to. The port is the same with and without TLS, so this listens nowhere. */
export class SecureDoor {
  readonly material: TlsMaterial;
  readonly #server: Server;
  readonly #waiting = new Map<string, HandshakeListener>();
  /** By version, since the process started. Upstream: ssl_manager.cpp, TLSVersionCounts. */
  readonly versions = new Map<string, number>();

  constructor(material: TlsMaterial) {
    this.material = material;
    const { settings, keyFile, passphrase, ca } = material;
    this.#server = createServer({
      cert: keyFile,
      key: keyFile,
      passphrase,
      ca,
      // It is for us to say what becomes of a client whose certificate is missing or bad.
      requestCert: ca !== undefined,
      rejectUnauthorized: false,
      minVersion: settings.minVersion,
      maxVersion: settings.maxVersion,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    });
    this.#server.on('secureConnection', (socket) => this.#secured(socket));
    this.#server.on('tlsClientError', (error, socket) => this.#failed(error, socket));
  }

  /**
   * Begins a handshake; one of the listener's methods is called, or the socket closes.
   * @param socket from which nothing has been read
   */
  enter(socket: Socket, listener: HandshakeListener): void {
    const place = placeOf(socket);
    this.#waiting.set(place, listener);
    socket.once('close', () => this.#waiting.delete(place));
    // Who goes in the middle of its handshake waits for no answer: nothing would end the connection before the time limit.
    socket.allowHalfOpen = false;
    this.#server.emit('connection', socket);
  }

  #secured(socket: TLSSocket): void {
    socket.allowHalfOpen = true;
    const listener = this.#taken(socket);
    const version = socket.getProtocol() ?? 'unknown';
    this.versions.set(version, (this.versions.get(version) ?? 0) + 1);
    const judged = this.#judged(socket);
    if (listener === undefined) socket.destroy();
    else if (typeof judged === 'string') listener.failed(judged);
    else listener.secured(socket, { protocol: version, cipher: socket.getCipher().standardName, ...judged });
  }

  #failed({ message }: Error, socket: TLSSocket): void {
    this.#taken(socket)?.failed(`SSL handshake failed: ${message}`);
    socket.destroy();
  }

  #taken(socket: Socket): HandshakeListener | undefined {
    const place = placeOf(socket);
    const listener = this.#waiting.get(place);
    this.#waiting.delete(place);
    return listener;
  }

  /** @returns what is known of the client, or why it does not come in. Upstream: parseAndValidatePeerCertificate */
  #judged(socket: TLSSocket): Pick<ConnectionPeer, 'subject' | 'certificate'> | string {
    const { settings, ca } = this.material;
    if (ca === undefined) return {};
    const certificate = socket.getPeerX509Certificate();
    // Node has the same word for a certificate that is missing and for one whose issuer is.
    if (certificate === undefined)
      return settings.allowConnectionsWithoutCertificates
        ? { certificate: 'missing' }
        : 'no SSL certificate provided by peer; connection rejected';
    if (socket.authorized) return { subject: subjectOf(certificate) };
    return settings.allowInvalidCertificates
      ? { certificate: 'invalid' }
      : `SSL peer certificate validation failed: ${socket.authorizationError}`;
  }
}

/** Both ends of a connection: there are no two with the same. */
function placeOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}

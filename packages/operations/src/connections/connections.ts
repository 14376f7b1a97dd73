import { type ConnectionPeer, type ConnectionRefusal, codeNameOf } from '@replsim/protocol';
import { shownMetadata } from './clientMetadata.ts';
import { OpenConnection } from './openConnection.ts';

/** Of whoever sends commands on no connection, as a scenario's steps do. */
export const NO_ADDRESS = '127.0.0.1:0';

/** What the connections need of their process. */
export interface ConnectionsHost {
  /** Writes a line of the component NETWORK. */
  log(id: number, msg: string, attr: Readonly<Record<string, unknown>>, ctx: string, severity?: 'I' | 'W' | 'E'): void;
  /** The parameter `quiet`, which keeps the coming and going out of the log. */
  isQuiet(): boolean;
  /** The monotonic clock. */
  nowMicros(): number;
}

/** How many `serverStatus` says there may be: what a plausible limit of open files leaves. None is refused for it. */
export const MAX_CONNECTIONS = 838_860;

/**
 * The connections that clients have to this process. A command that comes without one, as a scenario's steps do, counts as a
 * connection of its own for as long as it lasts. Upstream: session_manager_common.cpp, SessionManagerCommon.
 */
export class Connections implements Iterable<OpenConnection> {
  /** Since the process started. */
  totalCreated = 0;
  readonly #host: ConnectionsHost;
  readonly #open = new Map<number, OpenConnection>();

  constructor(host: ConnectionsHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#open.size;
  }

  [Symbol.iterator](): Iterator<OpenConnection> {
    return this.#open.values();
  }

  find(id: number): OpenConnection | undefined {
    return this.#open.get(id);
  }

  opened(id: number, remote: string): void {
    const connection = new OpenConnection(id, remote, this.#host.nowMicros());
    this.#open.set(id, connection);
    this.totalCreated += 1;
    this.#log(22943, 'Connection accepted', connection, 'listener');
  }

  rejected(remote: string): void {
    if (this.#host.isQuiet()) return;
    const msg = 'Connection refused because there are too many open connections';
    this.#host.log(22942, msg, { remote, connectionCount: this.size }, 'listener');
  }

  /** Upstream: asio_session_impl.cpp, maybeHandshakeSSLForIngress; ssl_manager_openssl.cpp, parseAndValidatePeerCertificate. */
  secured(id: number, peer: ConnectionPeer): void {
    const connection = this.#open.get(id);
    if (!connection) return;
    connection.peer = peer;
    const { log } = this.#host;
    const { remote, desc } = connection;
    const { protocol, cipher, subject, certificate } = peer;
    if (protocol === undefined) {
      const msg = "SSL mode is set to 'preferred' and connection to remote is not using SSL.";
      return log(23838, msg, { connectionId: id, remote }, desc);
    }
    if (certificate === 'missing') log(23234, 'No SSL certificate provided by peer', {}, desc, 'W');
    if (certificate === 'invalid') log(23235, 'SSL peer certificate validation failed', {}, desc, 'W');
    log(6723801, 'Accepted TLS connection from peer', { peerSubject: subject ?? '', cipher }, desc);
  }

  /** Upstream: session_workflow.cpp, SessionWorkflow::Impl::_receiveMessage. */
  refused(id: number, { code, errmsg }: ConnectionRefusal): void {
    const connection = this.#open.get(id);
    if (!connection) return;
    const error = { code, codeName: codeNameOf(code), errmsg };
    const attr = { error, remote: connection.remote, connectionId: id };
    const msg = 'Error receiving request from client. Ending connection from remote';
    this.#host.log(22988, msg, attr, connection.desc);
  }

  /** @returns what has ended; undefined if it had before */
  ended(id: number): OpenConnection | undefined {
    const connection = this.#open.get(id);
    if (!connection) return undefined;
    this.#open.delete(id);
    this.#log(22944, 'Connection ended', connection, connection.desc);
    return connection;
  }

  /** A `hello` is being answered: the first one settles who the client is. */
  handshake(connection: OpenConnection, saysHello: boolean): void {
    if (!connection.handshake(saysHello) || !connection.metadata) return;
    const { remote, desc, metadata, compressors } = connection;
    const attr = { remote, client: desc, negotiatedCompressors: compressors, doc: shownMetadata(metadata) };
    this.#host.log(51800, 'client metadata', attr, desc);
  }

  /** Upstream's lines carry a UUID of the connection too. */
  #log(id: number, msg: string, { id: connectionId, remote }: OpenConnection, ctx: string): void {
    if (this.#host.isQuiet()) return;
    this.#host.log(id, msg, { remote, connectionId, connectionCount: this.size }, ctx);
  }
}

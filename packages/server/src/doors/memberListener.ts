import { createServer, type Server, type Socket } from 'node:net';
import { isOwnAddress } from './machineNames.ts';

/** A member's place on the network: a port that is open while its process runs. */
export class MemberListener {
  readonly member: string;
  readonly address: string;
  /** By their addresses; the first is its own. */
  readonly #servers = new Map<string, Server>();
  /** Those that came before there was anybody to take them. */
  #early: Socket[] = [];
  #take: ((socket: Socket) => void) | undefined;
  #port: number;
  #isUnref = false;
  /** Where it listens for clients of other machines, too. */
  readonly #openAt: string | undefined;

  private constructor(member: string, address: string, port: number, openAt: string | undefined) {
    this.member = member;
    this.address = address;
    this.#port = port;
    this.#openAt = openAt;
    this.#addServer(this.#own);
  }

  /** Where it listens first of all. */
  get #own(): string {
    return this.#openAt ?? this.address;
  }

  #addServer(address: string): void {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#onSocket(socket));
    // A connection that cannot be accepted, for want of file descriptors, is lost to that client; the process must not die of it.
    server.on('error', () => {});
    if (this.#isUnref) server.unref();
    this.#servers.set(address, server);
  }

  /**
   * Opens a port for a member.
   * @param port 0 for any that is free
   * @param openAt where it listens for clients of other machines, too; `address` is then only what it is called by
   * @throws PortTakenError
   */
  static async open(member: string, address: string, port: number, openAt?: string): Promise<MemberListener> {
    const listener = new MemberListener(member, address, port, openAt);
    await listener.reopen();
    return listener;
  }

  get port(): number {
    return this.#port;
  }

  /** `HOST:PORT`, as clients are told it. */
  get host(): string {
    return this.address.includes(':') ? `[${this.address}]:${this.#port}` : `${this.address}:${this.#port}`;
  }

  /** From now on each socket is handed over, those that are waiting first. */
  serve(take: (socket: Socket) => void): void {
    this.#take = take;
    for (const socket of this.#early.splice(0)) take(socket);
  }

  /** Opens the port again, where it was. */
  async reopen(): Promise<void> {
    // The first one may have to find a port for all.
    for (const [address, server] of this.#servers) {
      if (server.listening) continue;
      const opened = listen(server, address, this.#port);
      // At another address than its own somebody else may be by now.
      this.#port = await (address === this.#own ? opened : opened.catch(() => this.#port));
    }
  }

  /**
   * Opens the port at another address of this machine as well, for clients of this machine; does nothing where somebody else has it there.
   * @param isOpen whether the process runs
   */
  async alsoAt(address: string, isOpen: boolean): Promise<void> {
    if (this.#openAt !== undefined || this.#servers.has(address)) return;
    this.#addServer(address);
    if (isOpen) await this.reopen();
  }

  /** An open port does not keep the process alive. */
  unref(): void {
    this.#isUnref = true;
    for (const server of this.#servers.values()) server.unref();
  }

  /** Nobody is let in any more; those who are in stay. */
  close(): void {
    for (const socket of this.#early.splice(0)) socket.destroy();
    for (const server of this.#servers.values()) if (server.listening) server.close();
  }

  #onSocket(socket: Socket): void {
    // Anybody who reaches a member may do everything: only this machine does, whatever its address, unless somebody wants it otherwise.
    if (this.#openAt === undefined && !isOwnAddress(socket.remoteAddress ?? '')) socket.destroy();
    else if (this.#take === undefined) this.#early.push(socket);
    else this.#take(socket);
  }
}

/** @returns the port @throws PortTakenError */
function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(portError(error, host, port));
    server.once('error', failed);
    server.listen({ host, port, backlog: 4096, ipv6Only: true }, () => {
      server.off('error', failed);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

/** Thrown if a port cannot be opened: another process uses it, or opening it is not permitted. */
export class PortTakenError extends Error {
  readonly port: number;
  readonly #trouble: string;
  readonly #choice: string;

  /** @param choice how to choose another */
  constructor(port: number, trouble: string, choice: string, options?: { readonly cause?: unknown }) {
    super(`${trouble}: ${choice}, or 0 for one that is free`, options);
    this.name = 'PortTakenError';
    this.port = port;
    this.#trouble = trouble;
    this.#choice = choice;
  }

  /** The message, for whoever asked for the port by an option of a command line. */
  toldOf(option: string): string {
    return `${this.#trouble}: ${this.#choice} with ${option}, or 0 for one that is free`;
  }
}

function portError(error: NodeJS.ErrnoException, address: string, port: number): Error {
  const cause = { cause: error };
  if (error.code === 'EADDRINUSE')
    return new PortTakenError(port, `port ${port} of ${address} is taken`, 'choose another', cause);
  if (error.code === 'EACCES')
    return new PortTakenError(port, `port ${port} may not be used`, 'choose one above 1023', cause);
  return error;
}

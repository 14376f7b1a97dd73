import { createServer, type Server, type Socket } from 'node:net';

/** A member's place on the network: a port that is open while its process runs. */
export class MemberListener {
  readonly member: string;
  readonly address: string;
  readonly #server: Server;
  /** Those that came before there was anybody to take them. */
  #early: Socket[] = [];
  #take: ((socket: Socket) => void) | undefined;
  #port: number;

  private constructor(member: string, address: string, port: number) {
    this.member = member;
    this.address = address;
    this.#port = port;
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => this.#onSocket(socket));
    // A connection that cannot be accepted, for want of file descriptors, is lost to that client; the process must not die of it.
    this.#server.on('error', () => {});
  }

  /**
   * Opens a port for a member.
   * @param port 0 for any that is free
   * @throws PortTakenError
   */
  static async open(member: string, address: string, port: number): Promise<MemberListener> {
    const listener = new MemberListener(member, address, port);
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
  reopen(): Promise<void> {
    if (this.#server.listening) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(portError(error, this.address, this.#port));
      this.#server.once('error', failed);
      this.#server.listen({ host: this.address, port: this.#port, backlog: 4096 }, () => {
        this.#server.off('error', failed);
        const address = this.#server.address();
        if (typeof address === 'object' && address !== null) this.#port = address.port;
        resolve();
      });
    });
  }

  /** An open port does not keep the process alive. */
  unref(): void {
    this.#server.unref();
  }

  /** Nobody is let in any more; those who are in stay. */
  close(): void {
    for (const socket of this.#early.splice(0)) socket.destroy();
    if (this.#server.listening) this.#server.close();
  }

  #onSocket(socket: Socket): void {
    if (this.#take === undefined) this.#early.push(socket);
    else this.#take(socket);
  }
}

/** A port cannot be had: somebody else has it, or it is not for us. */
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

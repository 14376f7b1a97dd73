import type { Socket } from 'node:net';
import { REAL_TIME } from '../clock/realTime.ts';

/** How long a client may take to notice that its connection is closed. Unit: ms. */
const PATIENCE_MS = 100;
/** In which a client of this process learns that its connection is closed, with a turn or two to spare. */
const TURNS_TO_HEAR = 4;

/**
 * Closes the sockets of one member, and knows when their clients have noticed. Where a process has ended, those that carry commands
 * go first; those on which clients watch it follow when the others' clients have noticed: a client that learned of the death first
 * would take a write under way on the others for lost, and not try it again.
 */
export class Farewell {
  readonly #talking = new Set<Socket>();
  readonly #watching = new Set<Socket>();
  /** How many turns of the event loop the clients of what was closed last have still to hear of it. */
  #turnsLeft = 0;
  #heard: (() => void)[] = [];

  /** @param watches whether the socket's client merely waits for news */
  close(socket: Socket, watches: boolean): void {
    if (!this.#saysFarewell(socket, watches ? this.#watching : this.#talking)) return;
    if (watches) {
      // All connections of a process are closed in one go, in any order.
      REAL_TIME.setImmediate(() => this.#next());
      return;
    }
    socket.resume();
    socket.end();
    const impatient = REAL_TIME.setTimeout(() => socket.destroy(), PATIENCE_MS);
    socket.once('close', () => REAL_TIME.clearTimeout(impatient));
  }

  /** At once, whatever is still to be said. */
  destroy(socket: Socket): void {
    this.#saysFarewell(socket, this.#watching);
    socket.destroy();
  }

  /** No socket is left that is to be closed, and whoever was at the other end of one knows. */
  get isOver(): boolean {
    return this.#talking.size + this.#watching.size + this.#turnsLeft === 0;
  }

  /** Resolves when it is. */
  async over(): Promise<void> {
    if (!this.isOver) await new Promise<void>((resolve) => this.#heard.push(resolve));
  }

  /** @returns false if its client was faster, and has to be told nothing */
  #saysFarewell(socket: Socket, open: Set<Socket>): boolean {
    if (socket.closed || this.#talking.has(socket) || this.#watching.has(socket)) return false;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      this.#next();
    });
    return true;
  }

  #next(): void {
    if (this.#talking.size > 0) return;
    for (const socket of this.#watching) socket.destroy();
    if (this.#watching.size > 0) return;
    const counts = this.#turnsLeft > 0;
    this.#turnsLeft = TURNS_TO_HEAR;
    if (!counts) this.#letHear();
  }

  #letHear(): void {
    REAL_TIME.setImmediate(() => {
      if (--this.#turnsLeft > 0) return this.#letHear();
      if (this.isOver) for (const heard of this.#heard.splice(0)) heard();
    });
  }
}

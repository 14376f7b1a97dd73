import type { Socket } from 'node:net';
import { REAL_TIME } from '../clock/realTime.ts';

/** How long a client may take to notice that its connection is closed. Unit: ms. */
const PATIENCE_MS = 100;

/**
 * Closes the sockets of a process that has ended. Those that carry commands go first; those on which clients watch the
 * process follow when the others' clients have noticed: a client that learned of the death first would take a write under
 * way on the others for lost, and not try it again.
 */
export class Farewell {
  readonly #talking = new Set<Socket>();
  readonly #watching = new Set<Socket>();
  #heard: (() => void)[] = [];

  /** @param watches whether the socket's client merely waits for news */
  close(socket: Socket, watches: boolean): void {
    // Its client was faster, and has been told nothing.
    if (socket.closed) return;
    const open = watches ? this.#watching : this.#talking;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      this.#next();
    });
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

  /** Resolves when no socket is left that is to be closed. */
  async over(): Promise<void> {
    if (this.#talking.size + this.#watching.size > 0) await new Promise<void>((resolve) => this.#heard.push(resolve));
  }

  #next(): void {
    if (this.#talking.size > 0) return;
    for (const socket of this.#watching) socket.destroy();
    if (this.#watching.size > 0) return;
    for (const heard of this.#heard.splice(0)) heard();
  }
}

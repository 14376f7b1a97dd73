import type { TraceEvent } from '@replsim/protocol';
import type { Scene } from './trouble.ts';

/** When somebody has got the beginning of a transaction, and its end is on its way, whoever wrote it dies, or is cut off. */
export class Strikes {
  /** Who is to be struck. */
  due: string | undefined;
  #author: string | undefined;

  observe(event: TraceEvent): void {
    if (event.type !== 'oplogWritten') return;
    const last = event.entries.at(-1)?.operation.transaction;
    if (event.origin === 'self') {
      if (last) this.#author = event.member;
    } else if (last?.partialTxn) this.due = this.#author;
  }

  strike({ set, random }: Scene): void {
    const author = this.due!;
    this.due = undefined;
    if (random.chance(0.2)) return;
    if (random.chance(0.5)) set.kill(author);
    else set.partition([[author], set.memberNames.filter((name) => name !== author)]);
  }
}

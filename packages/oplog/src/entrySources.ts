import { required } from '@replsim/protocol';

/** Entries that the same member sent, one after the other. */
interface Stretch {
  readonly source: string;
  readonly count: number;
}

/** From whom the entries of a buffer came: nearly always one member, so that a batch costs the same whatever it holds. */
export class EntrySources {
  #stretches: Stretch[] = [];

  push(source: string, count: number): void {
    if (count === 0) return;
    const last = this.#stretches.at(-1);
    if (last?.source !== source) this.#stretches.push({ source, count });
    else this.#stretches[this.#stretches.length - 1] = { source, count: last.count + count };
  }

  /** Those of the first `count` entries, which go. */
  shift(count: number): readonly Stretch[] {
    const gone: Stretch[] = [];
    for (let left = count; left > 0; ) {
      const first = required(this.#stretches.shift(), 'source of an entry that waits');
      const taken = Math.min(first.count, left);
      gone.push({ source: first.source, count: taken });
      if (taken < first.count) this.#stretches.unshift({ source: first.source, count: first.count - taken });
      left -= taken;
    }
    return gone;
  }
}

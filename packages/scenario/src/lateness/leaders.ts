import type { TraceEvent } from '@replsim/protocol';

/** A time in which a member accepted writes. */
export interface Leadership {
  readonly member: string;
  readonly fromMicros: number;
  /** Infinity while it lasts. */
  toMicros: number;
}

/** Who accepted writes when, in the order in which they began to; a standalone has only itself. */
export class Leaders {
  readonly #ofTheSet: Leadership[] = [];
  readonly #standalone = new Map<string, Leadership[]>();

  observe(event: TraceEvent): void {
    switch (event.type) {
      case 'processStarted':
        if (event.mode === 'standalone') {
          const list = this.#standalone.get(event.member) ?? [];
          this.#standalone.set(event.member, list);
          begin(list, event.member, event.atMicros);
        } else this.#standalone.delete(event.member);
        return;
      case 'acceptsWrites':
        if (event.value) begin(this.#ofTheSet, event.member, event.atMicros);
        else this.#end(event.member, event.atMicros);
        return;
      case 'processStopped':
        this.#end(event.member, event.atMicros);
        return;
    }
  }

  /** Whether it accepts writes now. */
  leads(member: string): boolean {
    const last = this.before(member).at(-1);
    return last?.member === member && last.toMicros === Number.POSITIVE_INFINITY;
  }

  /** Who leads the set, or led last; a standalone where there is no set. */
  get last(): string | undefined {
    return this.#ofTheSet.at(-1)?.member ?? [...this.#standalone.keys()].at(-1);
  }

  /** Those who led, as far as it concerns what `member` does now: itself last, later ones are of the other side. */
  before(member: string): readonly Leadership[] {
    const list = this.#standalone.get(member) ?? this.#ofTheSet;
    if (list.at(-1)?.member === member) return list;
    return list.slice(0, list.findLastIndex((each) => each.member === member) + 1);
  }

  #end(member: string, atMicros: number): void {
    for (const list of [this.#ofTheSet, this.#standalone.get(member) ?? []]) {
      const last = list.findLast((each) => each.member === member);
      if (last) last.toMicros = Math.min(last.toMicros, atMicros);
    }
  }
}

function begin(list: Leadership[], member: string, fromMicros: number): void {
  list.push({ member, fromMicros, toMicros: Number.POSITIVE_INFINITY });
}

/**
 * Which ends cannot talk to which: partitions and one-way cuts, which add up until they are healed.
 * Ends are plain names and need not be registered.
 */
export class Barriers {
  #partitions: Partition[] = [];
  readonly #cuts = new Map<string, Set<string>>();

  /** Keeps ends of different groups apart, both ways; see `Network.partition`. */
  partition(groups: readonly (readonly string[])[]): void {
    const groupOf = new Map<string, number>();
    groups.forEach((group, index) => {
      for (const end of group) {
        if (groupOf.has(end)) throw new RangeError(`${end} is in two groups of one partition`);
        groupOf.set(end, index);
      }
    });
    this.#partitions.push({ groupOf, healed: new Set() });
  }

  /** Keeps `from` from reaching `to`. The opposite direction is not affected. */
  cut(from: string, to: string): void {
    const tos = this.#cuts.get(from);
    if (tos === undefined) this.#cuts.set(from, new Set([to]));
    else tos.add(to);
  }

  /** Removes everything. */
  healAll(): void {
    this.#partitions = [];
    this.#cuts.clear();
  }

  /**
   * Removes the barriers between these ends and any other. Barriers between two others stay.
   * @param known every end there is: a partition that no longer keeps any two of them apart is forgotten, so that an end
   *   that is added later is not on the far side of it
   */
  heal(ends: readonly string[], known: ReadonlySet<string>): void {
    for (const end of ends) {
      for (const { healed } of this.#partitions) healed.add(end);
      this.#cuts.delete(end);
      for (const tos of this.#cuts.values()) tos.delete(end);
    }
    this.#partitions = this.#partitions.filter((partition) => separatesAny(partition, known));
  }

  /** Whether something keeps `from` from reaching `to`; nothing keeps an end from itself. */
  block(from: string, to: string): boolean {
    if (from === to) return false;
    return (
      this.#cuts.get(from)?.has(to) === true || this.#partitions.some((partition) => separates(partition, from, to))
    );
  }
}

interface Partition {
  readonly groupOf: ReadonlyMap<string, number>;
  /** Ends that this partition no longer concerns. */
  readonly healed: Set<string>;
}

/** The group of all ends that the partition does not name. */
const THE_OTHERS = -1;

function separates({ groupOf, healed }: Partition, a: string, b: string): boolean {
  if (healed.has(a) || healed.has(b)) return false;
  return (groupOf.get(a) ?? THE_OTHERS) !== (groupOf.get(b) ?? THE_OTHERS);
}

function separatesAny(partition: Partition, ends: ReadonlySet<string>): boolean {
  const concerned = [...ends].filter((end) => !partition.healed.has(end));
  const [first] = concerned;
  return first !== undefined && concerned.some((end) => separates(partition, first, end));
}

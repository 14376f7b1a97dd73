import type { Dependency, DependencyKind } from './dependencies.ts';

/** A kind of cycle among transactions that no order of them explains. */
export interface Cycle {
  readonly name: 'G0' | 'G1c' | 'G-single' | 'G2-item';
  readonly dependencies: readonly Dependency[];
}

const WW: ReadonlySet<DependencyKind> = new Set(['ww']);
const WW_WR: ReadonlySet<DependencyKind> = new Set(['ww', 'wr']);
const ALL: ReadonlySet<DependencyKind> = new Set(['ww', 'wr', 'rw']);

/**
 * One cycle of each kind in each knot of dependencies: of writes alone (G0), with a read of what was written (G1c), with one read of
 * what was overwritten (G-single), and with several of those (G2-item), which is looked for where there is none with one.
 */
export function cyclesIn(dependencies: readonly Dependency[]): readonly Cycle[] {
  const cycles: Cycle[] = [];
  const graph = (kinds: ReadonlySet<DependencyKind>) => new Graph(dependencies.filter(({ kind }) => kinds.has(kind)));
  const [writes, reads, all] = [graph(WW), graph(WW_WR), graph(ALL)];
  const push = (name: Cycle['name'], cycle: readonly Dependency[] | undefined) => {
    if (cycle) cycles.push({ name, dependencies: cycle });
    return cycle !== undefined;
  };
  for (const knot of writes.knots())
    push(
      'G0',
      first(knot.values(), (edge) => writes.back(edge)),
    );
  for (const knot of reads.knots())
    push(
      'G1c',
      first(knot.values(), (edge) => (edge.kind === 'wr' ? reads.back(edge) : undefined)),
    );
  for (const knot of all.knots()) {
    const overwritten = knot.filter(({ kind }) => kind === 'rw');
    if (
      !push(
        'G-single',
        first(overwritten, (edge) => reads.back(edge)),
      )
    )
      push(
        'G2-item',
        first(overwritten, (edge) => all.back(edge)),
      );
  }
  return cycles;
}

function first<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Dependencies by the transaction that they go out from. */
class Graph {
  readonly #out = new Map<number, Dependency[]>();

  constructor(dependencies: readonly Dependency[]) {
    for (const dependency of dependencies) {
      const list = this.#out.get(dependency.from);
      if (list) list.push(dependency);
      else this.#out.set(dependency.from, [dependency]);
    }
  }

  /** The shortest cycle that begins with a dependency, if there is one. */
  back(edge: Dependency): readonly Dependency[] | undefined {
    const by = new Map<number, Dependency>();
    const queue = [edge.to];
    for (let node = queue.shift(); node !== undefined; node = queue.shift()) {
      for (const next of this.#out.get(node) ?? []) {
        if (by.has(next.to) || next.to === edge.to) continue;
        by.set(next.to, next);
        if (next.to === edge.from) return [edge, ...wayTo(edge.from, edge.to, by)];
        queue.push(next.to);
      }
    }
    return undefined;
  }

  /** The dependencies within each strongly connected component that has more than one transaction, by Tarjan's algorithm. */
  knots(): readonly (readonly Dependency[])[] {
    const component = this.#components();
    const knots = new Map<number, Dependency[]>();
    for (const edges of this.#out.values())
      for (const edge of edges) {
        const one = component.get(edge.from)!;
        if (one !== component.get(edge.to)) continue;
        const knot = knots.get(one);
        if (knot) knot.push(edge);
        else knots.set(one, [edge]);
      }
    return [...knots.values()];
  }

  /** Without recursion: a chain of transactions may be longer than a stack is deep. */
  #components(): ReadonlyMap<number, number> {
    const index = new Map<number, number>();
    const low = new Map<number, number>();
    const component = new Map<number, number>();
    const stack: number[] = [];
    const enter = (node: number): Visit => {
      index.set(node, index.size);
      low.set(node, index.get(node)!);
      stack.push(node);
      return { node, edges: this.#out.get(node) ?? [], next: 0 };
    };
    const lower = (node: number, to: number) => low.set(node, Math.min(low.get(node)!, to));
    for (const root of this.#out.keys()) {
      if (index.has(root)) continue;
      const visits = [enter(root)];
      for (let visit = visits.at(-1); visit; visit = visits.at(-1)) {
        const { node } = visit;
        const to = visit.edges[visit.next++]?.to;
        if (to !== undefined) {
          if (!index.has(to)) visits.push(enter(to));
          else if (!component.has(to)) lower(node, index.get(to)!);
          continue;
        }
        visits.pop();
        const parent = visits.at(-1)?.node;
        if (parent !== undefined) lower(parent, low.get(node)!);
        if (low.get(node) === index.get(node)) close(node, stack, component);
      }
    }
    return component;
  }
}

interface Visit {
  readonly node: number;
  readonly edges: readonly Dependency[];
  next: number;
}

function close(root: number, stack: number[], component: Map<number, number>): void {
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    component.set(node, root);
    if (node === root) return;
  }
}

function wayTo(end: number, begin: number, by: ReadonlyMap<number, Dependency>): Dependency[] {
  const way: Dependency[] = [];
  for (let node = end; node !== begin; ) {
    const edge = by.get(node)!;
    way.unshift(edge);
    node = edge.from;
  }
  return way;
}

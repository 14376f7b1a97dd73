import type { Moment } from '../core/history/history.ts';

/**
 * Who stands together: members of different sides do not reach each other in either direction. One side of all where no wall stands.
 */
export function sidesOf(names: readonly string[], cut: Moment['cut']): readonly (readonly string[])[] {
  if (cut.length === 0) return [names];
  const closed = new Set(cut.map(([from, to]) => `${from} ${to}`));
  const areApart = (one: string, other: string) => closed.has(`${one} ${other}`) && closed.has(`${other} ${one}`);
  const sides: string[][] = [];
  const left = new Set(names);
  for (const name of names) {
    if (!left.delete(name)) continue;
    const side = [name];
    // The list grows while it is walked: whoever is reached reaches others.
    for (const one of side)
      for (const other of left)
        if (!areApart(one, other)) {
          left.delete(other);
          side.push(other);
        }
    sides.push(side);
  }
  return sides;
}

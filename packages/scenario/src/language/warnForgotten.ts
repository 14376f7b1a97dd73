import { type MemberSpec, type Target, wordsOf } from '@replsim/replset';
import type { Source } from '../file/source.ts';
import { plainSteps } from '../steps/plainSteps.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What of a file this looks at. */
interface Forgetting {
  /** Plain, and found right. */
  readonly steps: readonly Fields[];
  readonly members: readonly MemberSpec[];
  readonly zones: ReadonlyMap<string, readonly string[]>;
}

/**
 * Warns of members that a partition does not name: they are a part of their own, and who wrote it may have meant that they stay
 * where they were. It is told where that matters: there is only one, later steps speak of them, or with them another part had
 * a majority. Whom words such as `primary` mean only the run knows.
 */
export function warnForgotten(source: Source, { steps, members, zones }: Forgetting): void {
  const names = members.map(({ name }) => name);
  const all = plainSteps(steps);
  for (const [index, { path, step }] of all.entries()) {
    // What came from outside names who was cut off, and means it.
    if (!Array.isArray(step.partition) || 'at' in step) continue;
    const groups = step.partition.map((target) =>
      wordsOf(target as Target).flatMap((word) => zones.get(word) ?? [word]),
    );
    const named = new Set(groups.flat());
    if ([...named].some((word) => !names.includes(word))) continue;
    const rest = members.filter(({ name }) => !named.has(name));
    if (rest.length === 0) continue;
    const later = namedIn(all.slice(index + 1).map((each) => each.step));
    const matters = rest.length === 1 || rest.some(({ name }) => later.has(name)) || tipsScales(members, groups, rest);
    if (!matters) continue;
    const forgotten = rest.map(({ name }) => name).join(', ');
    const sides = [...groups.map((group) => group.join(', ')), forgotten].map((side) => `[${side}]`).join(', ');
    source.warnAtPath(
      [...path, 'partition'],
      `${forgotten} ${rest.length === 1 ? 'stands on no side, and so alone' : 'stand on no side, and so together on one of their own'}`,
      `if this is intended, write [${sides}]`,
    );
  }
}

/** Whether a part has a majority of the votes only with them. */
function tipsScales(
  members: readonly MemberSpec[],
  groups: readonly (readonly string[])[],
  rest: readonly MemberSpec[],
): boolean {
  const votes = (of: readonly MemberSpec[]) =>
    of.filter(({ config, spare, standalone }) => config?.votes !== 0 && !spare && !standalone).length;
  const needed = Math.floor(votes(members) / 2) + 1;
  return groups.some((group) => {
    const own = votes(members.filter(({ name }) => group.includes(name)));
    return own < needed && own + votes(rest) >= needed;
  });
}

function namedIn(value: unknown, into = new Set<string>()): ReadonlySet<string> {
  if (typeof value === 'string') into.add(value);
  if (typeof value !== 'object' || value === null) return into;
  for (const [key, each] of Object.entries(value)) {
    // `state: { n1: SECONDARY }` speaks of n1.
    into.add(key);
    namedIn(each, into);
  }
  return into;
}

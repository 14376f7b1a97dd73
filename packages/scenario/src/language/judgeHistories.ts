import type { Source } from '../file/source.ts';
import { plainSteps } from '../steps/plainSteps.ts';
import { namedIn } from './warnUnwritten.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A workload whose history is kept. */
interface Kept {
  readonly name: string;
  /** What it writes there: the field, or lists. */
  readonly what: string;
}

/**
 * A history is judged by what its own clients wrote. Whoever else writes to their collection would make a right answer look wrong, so
 * that is a mistake; workloads that write the same share one history.
 * @param steps plain, and found right
 */
export function judgeHistories(source: Source, steps: readonly Fields[]): void {
  const kept = new Map<string, Kept>();
  const all = plainSteps(steps);
  for (const { path, step } of all) {
    const found = keptIn(step);
    if (!found) continue;
    const other = kept.get(found.ns);
    if (other && other.what !== found.what)
      source.mistakeAtPath(
        [...path, 'workload'],
        `${other.name} keeps a history of ${found.ns}, of ${other.what}`,
        'write the same in both, or give each a collection of its own',
      );
    kept.set(found.ns, other ?? found);
  }
  if (kept.size === 0) return;
  for (const { path, step } of all) {
    if ('createIndex' in step || keptIn(step)) continue;
    const ns = namedIn(step).find((each) => kept.has(each));
    if (ns === undefined) continue;
    source.mistakeAtPath(
      path,
      `only workloads with a history write to ${ns}: ${kept.get(ns)?.name} keeps one`,
      'give the workload a collection of its own',
    );
  }
}

function keptIn(step: Fields): (Kept & { readonly ns: string }) | undefined {
  const { name, insert, update, append, reads } = (step.workload ?? {}) as Record<string, Fields | undefined>;
  if (append) return { name: String(name), ns: String(append.in), what: 'lists' };
  if (!reads) return undefined;
  const [field = ''] = Object.keys(((update?.update as Fields | undefined)?.$set ?? {}) as Fields);
  const what = insert ? 'documents' : `the field ${field}`;
  return { name: String(name), ns: String(insert?.into ?? update?.in), what };
}

import type { Outcome } from '../reporters/reporter.ts';

/**
 * What should hold in one of several runs of a file, and did in none. Of a file that was not played under all of its seeds nothing can be
 * said, and a single run promises nothing.
 */
export function neverReached(outcomes: readonly Outcome[], seeds: number): string[] {
  if (seeds < 2) return [];
  return [...new Set(outcomes.map(({ path }) => path))].flatMap((path) => {
    const runs = outcomes.filter((each) => each.path === path);
    if (runs.length < seeds || runs.some(({ sometimes }) => sometimes === undefined)) return [];
    const all = runs[0]?.sometimes ?? [];
    return all.flatMap(({ line, text }, i) =>
      runs.some(({ sometimes }) => (sometimes?.[i]?.held ?? 0) > 0)
        ? []
        : [`${path}: never in ${runs.length} runs: line ${line}: ${text}`],
    );
  });
}

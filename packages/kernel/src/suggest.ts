/** The word of `known` that `wrong` was probably meant to be, or undefined if none is near. */
export function nearest(wrong: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A third of the letters may be wrong, or one letter of a short word.
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(wrong.toLowerCase(), candidate.toLowerCase());
    const breaksTie = best !== undefined && distance === bestDistance && !startsLike(best, wrong);
    if (distance < bestDistance || (breaksTie && startsLike(candidate, wrong)))
      [best, bestDistance] = [candidate, distance];
  }
  return best ?? onlyLonger(wrong, known);
}

/** A prefix shorter than this does not count. */
const LEAST_BEGINNING = 4;

/** The one word that `wrong` begins, or that begins it: `match` of `matches`. */
function onlyLonger(wrong: string, known: Iterable<string>): string | undefined {
  const text = wrong.toLowerCase();
  const found = [...known].filter((each) => {
    const [short, long] = each.length < text.length ? [each.toLowerCase(), text] : [text, each.toLowerCase()];
    return short.length >= LEAST_BEGINNING && long.startsWith(short);
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Of two words that are equally near, the first letter decides: it is the one that people get right. */
function startsLike(word: string | undefined, wrong: string): boolean {
  return word?.[0]?.toLowerCase() === wrong[0]?.toLowerCase();
}

/** `did you mean "x"?`, or undefined if no word of `known` is near. */
export function didYouMean(wrong: string, known: Iterable<string>): string | undefined {
  const word = nearest(wrong, known);
  return word === undefined ? undefined : `did you mean "${word}"?`;
}

/** Like `didYouMean`; if no word is near, it lists all known words that fit on a line. */
export function didYouMeanOneOf(wrong: string, known: readonly string[]): string | undefined {
  const all = known.join(', ');
  return didYouMean(wrong, known) ?? (all.length > 0 && all.length <= 250 ? `known here: ${all}` : undefined);
}

/** Letters to insert, delete, replace, or swap with their neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      row.push(cost);
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length]!;
}

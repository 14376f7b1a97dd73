/** A line of one text that the other has not. */
export interface DifferingLine {
  readonly side: 'first' | 'second';
  /** From 1, in its own text. */
  readonly number: number;
  readonly text: string;
}

/** The lines in which two texts differ, with as many as can be left alike. */
export function differingLines(first: string, second: string): readonly DifferingLine[] {
  const [one, other] = [first.split('\n'), second.split('\n')];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  const shorter = Math.min(one.length, other.length) - start;
  while (end < shorter && one.at(-1 - end) === other.at(-1 - end)) end++;
  return between(one.slice(start, one.length - end), other.slice(start, other.length - end), start);
}

function between(one: readonly string[], other: readonly string[], before: number): readonly DifferingLine[] {
  const common = commonLengths(one, other);
  const found: DifferingLine[] = [];
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && one[i] === other[j]) {
      i++;
      j++;
    } else if (j >= other.length || (i < one.length && common[i + 1]![j]! >= common[i]![j + 1]!)) {
      found.push({ side: 'first', number: before + ++i, text: one[i - 1]! });
    } else {
      found.push({ side: 'second', number: before + ++j, text: other[j - 1]! });
    }
  }
  return found;
}

/** How many lines the rests of both texts have in common, in order: from each line of one and each of the other on. */
function commonLengths(one: readonly string[], other: readonly string[]): readonly Uint32Array[] {
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      lengths[i]![j] =
        one[i] === other[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}

/** An eighth of a line, and so on up to all of it. */
const BLOCKS = '▁▂▃▄▅▆▇█';

/** What a chart shows. */
export interface ChartOptions {
  /** In characters, without the labels at the left. */
  readonly width: number;
  readonly height: number;
  /** The label of a value, at the top line and the bottom. */
  readonly label: (value: number) => string;
  /** What stands below the first column, and so on: evenly spread. */
  readonly below: readonly string[];
  /** The value of the top line, where several charts are to be compared; absent for the greatest there is. */
  readonly top?: number;
}

/** The lines of a chart of columns; each column shows the greatest of its values, null shows nothing. */
export function chart(
  values: readonly (number | null)[],
  { below, height, label, top: given = 0, width }: ChartOptions,
): string[] {
  const columns = columnsOf(values, width);
  const top = Math.max(...columns, given);
  const [atTop, atBottom] = [label(top), label(0)];
  const margin = Math.max(atTop.length, atBottom.length);
  const lines: string[] = [];
  for (let line = height - 1; line >= 0; line--) {
    const text = line === height - 1 ? atTop : line === 0 ? atBottom : '';
    const cells = columns.map((value) => block(top === 0 ? 0 : (value / top) * height - line));
    lines.push(`  ${text.padStart(margin)} ┤${cells.join('')}`.trimEnd());
  }
  return [...lines, axis(below, margin, columns.length)];
}

/** At most `width` columns, each the greatest of the values that fall into it. */
function columnsOf(values: readonly (number | null)[], width: number): number[] {
  const count = Math.min(width, values.length);
  return Array.from({ length: count }, (_, i) => {
    const from = Math.floor((i * values.length) / count);
    const to = Math.floor(((i + 1) * values.length) / count);
    return values.slice(from, to).reduce<number>((most, value) => Math.max(most, value ?? 0), 0);
  });
}

/** @param fill how much of this line's height, in lines; what is more than nothing shows */
function block(fill: number): string {
  if (fill <= 0) return ' ';
  return BLOCKS.charAt(Math.min(Math.max(Math.round(fill * 8), 1), 8) - 1);
}

function axis(below: readonly string[], margin: number, width: number): string {
  let line = ' '.repeat(margin + 4);
  for (const [i, text] of below.entries()) {
    const at = margin + 4 + Math.floor((i * width) / below.length);
    if (line.length <= at) line = line.padEnd(at) + text;
  }
  return line;
}

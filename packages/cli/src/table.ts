import { required } from '@replsim/protocol';
/** How a table is set. */
export interface TableOptions {
  /** Columns of text, which begin at the left; numbers end at the right. */
  readonly left: readonly number[];
  /** For the head. */
  readonly dim: (text: string) => string;
}

/** The lines of a table, its head first; columns are as wide as what stands in them. */
export function table(rows: readonly (readonly string[])[], { left, dim }: TableOptions): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, { length }] of row.entries()) widths[column] = Math.max(length, widths[column] ?? 0);
  return rows.map((row, i) => {
    const cells = row.map((cell, column) => {
      const width = required(widths[column], 'width of a column');
      return left.includes(column) ? cell.padEnd(width) : cell.padStart(width);
    });
    const line = `  ${cells.join('  ')}`.trimEnd();
    return i === 0 ? dim(line) : line;
  });
}

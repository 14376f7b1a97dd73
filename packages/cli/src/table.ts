/** How a table is set. */
export interface TableOptions {
  /** Columns of text, which begin at the left; numbers end at the right. */
  readonly left: readonly number[];
  /** For the head. */
  readonly dim: (text: string) => string;
}

/** The lines of a table, its head first; columns are as wide as what stands in them. */
export function table(rows: readonly (readonly string[])[], { left, dim }: TableOptions): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row, i) => {
    const cells = row.map((cell, column) =>
      left.includes(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!),
    );
    const line = `  ${cells.join('  ')}`.trimEnd();
    return i === 0 ? dim(line) : line;
  });
}

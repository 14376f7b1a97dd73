/** The place of a call, as written to an object by `Error.captureStackTrace`. */
export interface Call {
  readonly stack?: string;
}

/**
 * Makes sure that the stack of an error includes the user's call. V8 keeps only the ten innermost frames, all of which may be inside
 * the set, and it does not know the caller of work that had to wait.
 */
export function nameCaller(error: unknown, call: Call): void {
  if (!(error instanceof Error) || error.stack === undefined) return;
  const frames = (call.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const ours = folderOf(frames[0] ?? '');
  const at = frames.findIndex((frame) => folderOf(frame) !== ours);
  // The call came only from our own code.
  if (at === -1) return;
  const outside = frames.slice(at);
  // Compare lines only, because an awaited call has a different column.
  const [caller] = outside;
  if (caller === undefined || error.stack.includes(lineOf(caller))) return;
  error.stack = [error.stack, ...outside].join('\n');
}

/** Extracts `FILE:LINE:` from a frame such as `    at NAME (FILE:LINE:COLUMN)` or `    at async FILE:LINE:COLUMN`. */
function lineOf(frame: string): string {
  return frame.replace(/^ {4}at (?:async )?(?:.* \()?/, '').replace(/\d+\)?$/, '');
}

function folderOf(frame: string): string {
  return lineOf(frame).replace(/[^\\/]*$/, '');
}

/** Where a call was made: what `Error.captureStackTrace` writes on an object. */
export interface Call {
  readonly stack?: string;
}

/**
 * Sees to it that the stack of an error leads to whoever made the call. V8 keeps the ten innermost frames, of which what goes wrong
 * deep in a set may need all, and knows of no caller where something waited for its turn.
 */
export function nameCaller(error: unknown, call: Call): void {
  if (!(error instanceof Error) || error.stack === undefined) return;
  const frames = (call.stack ?? '').split('\n').filter((line) => /^ {4}at /.test(line));
  const ours = folderOf(frames[0] ?? '');
  const at = frames.findIndex((frame) => folderOf(frame) !== ours);
  // Who called from within alone is not to be told of.
  if (at === -1) return;
  const outside = frames.slice(at);
  // By the line alone: of what is awaited it is another column.
  const [caller] = outside;
  if (caller === undefined || error.stack.includes(lineOf(caller))) return;
  error.stack = [error.stack, ...outside].join('\n');
}

/** `FILE:LINE:` of a frame, which reads `    at NAME (FILE:LINE:COLUMN)` or `    at async FILE:LINE:COLUMN`. */
function lineOf(frame: string): string {
  return frame.replace(/^ {4}at (?:async )?(?:.* \()?/, '').replace(/\d+\)?$/, '');
}

function folderOf(frame: string): string {
  return lineOf(frame).replace(/[^\\/]*$/, '');
}

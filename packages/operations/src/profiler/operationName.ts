const NAMES = new Map([
  ['find', 'query'],
  ['getMore', 'getmore'],
  ['insert', 'insert'],
  ['update', 'update'],
  ['delete', 'remove'],
  ['bulkWrite', 'bulkWrite'],
]);

/** What the profiler and `currentOp` call an operation; what is none of these is a `command`. Upstream: op_msg's LogicalOp. */
export function operationName(commandName: string): string {
  return NAMES.get(commandName) ?? 'command';
}

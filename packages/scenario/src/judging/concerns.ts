/** The field of a concern that is meant where only a word or a number is written. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ['readConcern', 'level'],
  ['writeConcern', 'w'],
]);

/** `readConcern: majority` as `{ level: majority }`, `writeConcern: 2` as `{ w: 2 }`; anything else as it is. */
export function concernIn(key: string, given: unknown): unknown {
  const field = SHORT.get(key);
  return field === undefined || given === undefined || isDocument(given) ? given : { [field]: given };
}

/** As `concernIn`, of a value that is sent. */
export function sentConcern(key: string, value: unknown): unknown {
  const field = SHORT.get(key);
  return field === undefined || value instanceof Map ? value : new Map([[field, value]]);
}

function isDocument(given: unknown): boolean {
  return typeof given === 'object' && given !== null;
}

/** Something that a test expects does not hold. */
export class Failure extends Error {}

/** A test asks for something that is not to be had here; the message says what. */
export class Skipped extends Error {}

const LONGEST_SHOWN = 300;

/** A value as messages show it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value, (_, each) => (typeof each === 'bigint' ? `${each}` : each)) ?? String(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

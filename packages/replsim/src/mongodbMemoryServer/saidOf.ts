/**
 * What was said: a suite that computes its options writes `null` or `undefined` for what it leaves out, and mongodb-memory-server takes
 * both for nothing, in any place.
 */
export function saidOf<Options extends object>(options: Options | null | undefined): Options {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(said) as Options;
}

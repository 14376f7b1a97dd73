/**
 * Removes options that are `null` or `undefined`. Test suites that compute their options produce these, and mongodb-memory-server
 * treats both as absent everywhere.
 */
export function saidOf<Options extends object>(options: Options | null | undefined): Options {
  const said = Object.entries(options ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(said) as Options;
}

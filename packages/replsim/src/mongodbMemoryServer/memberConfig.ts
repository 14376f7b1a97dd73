import type { ReplicaMemberConfig } from './memoryOptions.ts';
import type { Release } from './release.ts';

/**
 * A member's entry in the set's config, as it is called today: what a version before 5.0 is told of a delay, all releases are here.
 * @param where what messages name
 */
export function memberConfig(
  { slaveDelay, ...config }: ReplicaMemberConfig = {},
  delayField: Release['delayField'],
  where: string,
): { readonly config: ReplicaMemberConfig; readonly mistakes: readonly string[] } {
  if (slaveDelay === undefined) return { config, mistakes: [] };
  if (delayField === 'slaveDelay') return { config: { secondaryDelaySecs: slaveDelay, ...config }, mistakes: [] };
  return { config, mistakes: [`${where}.slaveDelay: since MongoDB 5.0 it is called secondaryDelaySecs`] };
}

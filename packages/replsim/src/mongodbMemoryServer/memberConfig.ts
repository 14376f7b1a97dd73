import type { ReplicaMemberConfig } from './memoryOptions.ts';
import type { Release } from './release.ts';

/**
 * Returns a member's config entry with the current name of its delay, `secondaryDelaySecs`, also for releases before 5.0.
 * @param where the option that messages name
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

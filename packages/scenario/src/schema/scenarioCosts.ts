import { DEFAULT_LINK_SETTINGS } from '@replsim/kernel';
import { DEFAULT_COSTS } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';

/**
 * The options of a set that a scenario describes, for whoever has other defaults, such as a set that is served: what the
 * scenario does not say of links and costs is as in a run of it.
 */
export function withScenarioCosts<Options extends Pick<ReplSetOptions, 'network' | 'costs'>>(
  options: Options,
): Options {
  const network = { ...DEFAULT_LINK_SETTINGS, ...options.network };
  return { ...options, network, costs: { ...DEFAULT_COSTS, ...options.costs } };
}

import type { LinkSettings } from '@replsim/kernel';
import type { Latency, NetworkSettings } from './api.ts';

/** What is said of links as the network keeps it: a latency is two numbers. */
export function linkSettings(settings: NetworkSettings): Partial<LinkSettings> {
  const { latencyMs, ...others } = settings;
  if (latencyMs === undefined) return others;
  // The trace shows them in the order in which they were written.
  return { ...settings, latencyMs: latencyRange(latencyMs) };
}

/** A latency's least and greatest. */
export function latencyRange(latencyMs: Latency): readonly [min: number, max: number] {
  return typeof latencyMs === 'number' ? [latencyMs, latencyMs] : latencyMs;
}

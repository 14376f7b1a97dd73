import { DEFAULT_SETTINGS } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import type { Source } from '../file/source.ts';

/** Under this a timeout was meant in seconds. Unit: ms. */
const SHORT_MS = 100;

/** Warns of a network and of an election timeout with which no set comes to life. */
export function warnTimeouts(source: Source, options: ReplSetOptions): void {
  const { network, settings, members, initiate } = options;
  if (members.length === 1 || initiate === false) return;
  const silent = whySilent(options);
  if (silent !== undefined)
    source.warnAtPath(
      ['network', network?.loss === 1 ? 'loss' : 'latencyMs'],
      `${silent}, so no set comes to life`,
      'for example "latencyMs: 20"; a link step can break the network later',
    );
  const { electionTimeoutMillis } = settings ?? {};
  if (electionTimeoutMillis === undefined) return;
  const path = ['replicaSet', 'settings', 'electionTimeoutMillis'];
  const { electionTimeoutMillis: usual } = DEFAULT_SETTINGS;
  if (electionTimeoutMillis < SHORT_MS)
    source.warnAtPath(
      path,
      `elections every ${electionTimeoutMillis} ms may never end`,
      `it is in milliseconds: did you mean ${usual}?`,
    );
  else if (silent === undefined && electionTimeoutMillis <= roundTripMs(options))
    source.warnAtPath(
      path,
      `a round trip takes ${roundTripMs(options)} ms, so votes arrive after the next election has begun`,
      `for example ${Math.max(usual, 10 * roundTripMs(options))}`,
    );
}

/** What to change in a set that will not stand; undefined where nothing speaks against it. */
export function adviceOnStart(options: ReplSetOptions): string | undefined {
  const silent = whySilent(options);
  if (silent !== undefined) return `a network in which members can answer: ${silent}`;
  const { electionTimeoutMillis } = options.settings ?? {};
  if (electionTimeoutMillis === undefined || electionTimeoutMillis >= SHORT_MS) return undefined;
  return `a longer electionTimeoutMillis: ${electionTimeoutMillis} ms is shorter than an election takes`;
}

/** Why members cannot answer each other from the start, in words; undefined if they can. */
function whySilent(options: ReplSetOptions): string | undefined {
  const { network, settings } = options;
  if (network?.loss === 1) return 'the network loses every message (loss: 1)';
  const secs = settings?.heartbeatTimeoutSecs ?? DEFAULT_SETTINGS.heartbeatTimeoutSecs;
  return roundTripMs(options) > secs * 1000
    ? `a round trip takes ${roundTripMs(options)} ms, and heartbeatTimeoutSecs is ${secs}`
    : undefined;
}

/** At the least. */
function roundTripMs({ network }: ReplSetOptions): number {
  const latencyMs = network?.latencyMs ?? 0;
  return 2 * (typeof latencyMs === 'number' ? latencyMs : latencyMs[0]);
}

import type { ReplSetConfig } from '@replsim/protocol';
import type { Checker } from '../checker.ts';
import { keepNewest } from '../keepNewest.ts';

/** Configs are compared with the newest ones only; a member further behind fetches the newest anyway. */
const MAX_CONFIGS = 1000;

/**
 * Members with the same config version and term of the same set have the same config.
 * Source: MongoReplReconfig.tla; a forced reconfig jumps by a random number to keep it likely.
 */
export function sameConfigSameContent(): Checker {
  const installed = new Map<string, { readonly config: ReplSetConfig; readonly member: string }>();

  return {
    name: 'sameConfigSameContent',
    events: ['configInstalled'],
    voidedBy: ['lyingDisk'],
    observe(event) {
      if (event.type !== 'configInstalled') return undefined;
      const { member, config } = event;
      // Two sets that were initiated apart may both have a version 1.
      const key = `${config.settings.replicaSetId} ${config.term} ${config.version}`;
      const known = installed.get(key);
      if (known === undefined) {
        installed.set(key, { config, member });
        keepNewest(installed, MAX_CONFIGS);
        return undefined;
      }
      const path = known.config === config ? undefined : difference(known.config, config, '');
      return path === undefined
        ? undefined
        : `config version ${config.version} of term ${config.term} differs between ${known.member} and ${member}: ${path}`;
    },
  };
}

/** Where two plain values differ first, and how; undefined when they are equal. */
function difference(a: unknown, b: unknown, path: string): string | undefined {
  if (Object.is(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `${path} is ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  for (const key of new Set([...Object.keys(left), ...Object.keys(right)])) {
    const inner = Array.isArray(a) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    const found = difference(left[key], right[key], inner);
    if (found !== undefined) return found;
  }
  return undefined;
}

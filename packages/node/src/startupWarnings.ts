import { decodePromoted, uuidAttr } from '@replsim/protocol';
import { isNaNOption } from '@replsim/ttl';
import type { Core } from './core/core.ts';

/** What a process warns of when it starts, besides a standalone's missing TTL monitor. `getLog: "startupWarnings"` shows it. */
export function logStartupWarnings(core: Core, readOnly: 'queryableBackup' | 'recoveredFromOplog' | undefined): void {
  if (readOnly === 'recoveredFromOplog') {
    const msg = "Nothing can be written, because of the parameter 'recoverFromOplogAsStandalone'";
    core.startupWarning('CONTROL', 21558, msg);
  }
  for (const { ns, uuid, indexes } of core.engine.collections()) {
    for (const { spec } of indexes) {
      if (!spec.expireAfterSeconds || !isNaNOption(spec.expireAfterSeconds)) continue;
      // A release without the check would have taken it for "expires at once".
      const attr = { ns, uuid: uuidAttr(uuid), index: spec.name, spec: decodePromoted(spec.bytes) };
      core.startupWarning('INDEX', 6852200, "A TTL index in the catalog has NaN for 'expireAfterSeconds'", attr);
    }
  }
}

import type { LogLine } from '@replsim/protocol';
import { type TtlLogId, ttlLog } from '@replsim/ttl';
import type { Core } from '../core/core.ts';

/** Writes a line of the monitor, unless it is a debug line and the component is not to be that talkative. */
export function writeLine(core: Core, { severity, component, id, msg, attr, ctx }: LogLine): void {
  if (debugLevel(severity) <= core.verbosity('INDEX')) core.log(severity, component, id, msg, attr, ctx);
}

/** A line of level D1 with which a visit begins; hardly anybody ever wants it, and so it is hardly ever made. */
export function debugVisit(core: Core, id: TtlLogId, attr: () => LogLine['attr']): void {
  if (core.verbosity('INDEX') >= 1) writeLine(core, ttlLog(id, attr()));
}

/** 1 to 5 for `D1` to `D5`, else 0. */
function debugLevel(severity: LogLine['severity']): number {
  return severity.startsWith('D') ? Number(severity[1]) : 0;
}

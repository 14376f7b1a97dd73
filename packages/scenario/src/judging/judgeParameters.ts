import type { MongodVersion } from '@replsim/protocol';
import { keptRefusals, type Moment, parameterRefusal } from '@replsim/replset';
import type { Path, Source } from '../file/source.ts';
import { type Idle, whyIdle } from '../mongod/idleParameters.ts';

const LEAVE_OUT = 'leave it out';
/** Fields of the command beside the parameters; every command may have them. Upstream: generic_argument.idl. */
const GENERIC = new Set(['comment', 'maxTimeMS', 'apiVersion', 'apiStrict', 'apiDeprecationErrors', 'lsid']);

/**
 * Tells which parameters a mongod would refuse. Those that are known only at run time are passed over.
 * @param path where the document of parameters stands
 * @param versions of whoever gets them; one that takes them is enough, for who a word means only the run knows
 */
export function judgeParameters(
  source: Source,
  path: Path,
  given: unknown,
  versions: readonly MongodVersion[],
  moment: Moment,
): void {
  for (const [name, value] of Object.entries(given ?? {})) {
    if (GENERIC.has(name)) continue;
    const idle = whyIdle(name, value);
    if (idle !== undefined) {
      judgeIdle(source, path, name, idle, moment);
      continue;
    }
    const refusals = versions.map((version) => parameterRefusal(version, name, value, moment, given as Given));
    const [refusal] = refusals;
    if (refusal === undefined || refusals.includes(undefined)) continue;
    if (refusal.ofName) source.mistakeAtKey(path, name, refusal.message, refusal.suggestion);
    else source.mistakeAtPath([...path, name], refusal.message, refusal.suggestion);
  }
}

/** At startup it is left out; a member that runs is asked for it, and has no such parameter. */
function judgeIdle(source: Source, path: Path, name: string, { why, refused }: Idle, moment: Moment): void {
  if (moment === 'startup' && !refused) source.warnAtKey(path, name, `"${name}" has no effect here: ${why}`, LEAVE_OUT);
  else if (refused) source.mistakeAtKey(path, name, `"${name}": ${why}`);
  else source.mistakeAtKey(path, name, `members refuse "${name}", which has no effect here: ${why}`, LEAVE_OUT);
}

/**
 * Tells which parameters that a process keeps from its head are refused by the release as which it starts anew.
 * @param at where that release is said
 */
export function judgeKept(source: Source, at: Path, head: Given, start: Start): void {
  for (const { message, suggestion } of keptRefusals(head, start)) source.mistakeAtPath(at, message, suggestion);
}

type Start = Parameters<typeof keptRefusals>[1];
type Given = Readonly<Record<string, unknown>>;

import { compileFilter } from '@replsim/query';
import { Reasons } from '@replsim/why';
import type { Template } from './file/placeholder.ts';
import type { CheckPart } from './scenario.ts';
import type { Members } from './stage/members.ts';

/** Reasons that can tell whether a document matches the filter of a partial index. */
export function reasonsWithFilters(): Reasons {
  return new Reasons(compileFilter);
}

/** What stood in the way of a part of a check that does not hold, in sentences; none where the trace cannot tell. */
export function reasonsOf(part: CheckPart, reasons: Reasons, members: Members): string[] {
  switch (part.kind) {
    case 'primary':
      return part.who === 'none' ? [] : reasons.primary(part.who === 'any' ? undefined : part.who);
    case 'state':
      return part.states.flatMap(([member, wanted]) =>
        wanted === 'PRIMARY' ? reasons.primary(member) : reasons.state(member),
      );
    case 'count':
    case 'find':
      return reasons.data(members.toAsk(part.on), namespaceOf(part.command));
    case 'workload':
      return reasons.workload(part.name);
    case 'same':
      return reasons.data(members.names, '');
    default:
      return [];
  }
}

/** What a command is about: its first field, and its database. */
function namespaceOf({ value }: Template): string {
  return `${value.get('$db')}.${value.values().next().value}`;
}

import { compileFilter } from '@replsim/query';
import { Reasons } from '@replsim/why';
import { checkOf } from './checks/table.ts';
import type { CheckPart } from './scenario.ts';
import type { Members } from './stage/members.ts';

/** Reasons that can tell whether a document matches the filter of a partial index. */
export function reasonsWithFilters(): Reasons {
  return new Reasons(compileFilter);
}

/** What stood in the way of a part of a check that does not hold, in sentences; none where the trace cannot tell. */
export function reasonsOf(part: CheckPart, reasons: Reasons, members: Members): string[] {
  return checkOf(part.kind)?.reasons?.(part, reasons, members) ?? [];
}

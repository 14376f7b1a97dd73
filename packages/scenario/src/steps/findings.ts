import { decodeFields, encodeDocument, type MemberState } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import type { Checks } from '../checks/checks.ts';
import type { Answer } from '../scenario.ts';
import { endingOf, showErrors } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { Members } from '../stage/members.ts';
import { fill, withSecondaryOk } from '../stage/secondaryOk.ts';

/** Who is primary where nobody is. */
export const NOBODY = 'nobody';

/** An answer, or why nobody could give one. */
export type Finding = { readonly found: string | number } | { readonly silence: string };

/** What answers are looked up in. */
export interface Sight {
  readonly set: ReplicaSetApi;
  readonly members: Members;
  readonly fillings: Fillings;
  readonly checks: Checks;
}

const GET_STATUS = encodeDocument({ replSetGetStatus: 1, $db: 'admin' });
const TERM = new Set(['term']);
const COUNTED = new Set(['n']);

/** Answers a question at this very instant, by commands as checks do. */
export function findAnswer(look: Answer['look'], sight: Sight): Finding {
  const { set, members, fillings, checks } = sight;
  switch (look.kind) {
    case 'primary':
      return { found: members.primary() ?? NOBODY };
    case 'holds': {
      const refusal = checks.refusal(look.check);
      return refusal?.unanswered ? { silence: refusal.got } : { found: refusal ? 'no' : 'yes' };
    }
    case 'state':
      if (set.status(look.on).paused) return { silence: members.silence(look.on) };
      return { found: checks.stateOf(look.on) satisfies MemberState | string };
    case 'term':
      return asked(look.on, sight, () => GET_STATUS, TERM, 'term');
    case 'count':
      return asked(look.on, sight, (member) => fill(withSecondaryOk(look.command), fillings.for(member)), COUNTED, 'n');
  }
}

/** A number in one member's answer. */
function asked(
  on: string,
  { set, members }: Sight,
  command: (member: string) => Uint8Array,
  fields: ReadonlySet<string>,
  field: string,
): Finding {
  const member = on === 'primary' ? members.primary() : on;
  if (member === undefined) return { silence: 'no member says it is primary' };
  if (!members.answers(member)) return { silence: members.silence(member) };
  const reply = set.ask(member, command(member));
  const { ok, errors } = endingOf(reply);
  if (!ok) return { silence: `${member}: ${showErrors(errors)}` };
  return { found: Number(decodeFields(reply, fields)[field]) };
}

import { codeNameOf, type TraceEvent } from '@replsim/protocol';

/** What a member told a client, where it is more than the result that the client wanted; undefined for all else. */
export function commandText({
  name,
  code,
  errmsg = '',
  writeConcernError,
  retriedStatements = 0,
}: Extract<TraceEvent, { type: 'commandEnded' }>): string | undefined {
  if (code !== 0) return `refuses ${name}: ${codeNameOf(code)}, ${errmsg}`;
  const told: string[] = [];
  if (retriedStatements > 0) {
    const many = retriedStatements === 1 ? 'it was' : `${retriedStatements} statements were`;
    told.push(`answers ${name} from its oplog: ${many} executed before`);
  }
  if (writeConcernError) {
    told.push(missedText(name, writeConcernError.errmsg));
  }
  return told.length > 0 ? told.join('; ') : undefined;
}

/** @param count how many commands of this name were told the same */
export function missedText(name: string, errmsg: string, count = 1): string {
  const [what, whose] = count === 1 ? [name, 'its'] : [`${count} × ${name}`, 'their'];
  return `has done ${what}, but ${whose} write concern is not satisfied: ${errmsg}`;
}

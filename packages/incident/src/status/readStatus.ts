import { isNode, LineCounter, parseDocument } from 'yaml';
import { IncidentError } from '../incidentError.ts';
import { fieldsOf } from '../logs/logLine.ts';
import { type Printed, printedIn } from '../shell/printed.ts';

/** What `rs.status()` says of the set. */
export interface Status {
  readonly file: string;
  readonly line: number;
  readonly setName: string;
  /** Who is asked for the status sees them in these states, such as PRIMARY or `(not reachable/healthy)`. */
  readonly members: readonly StatusMember[];
}

interface StatusMember {
  readonly host: string;
  readonly state: string;
  /** Where it stands in the file. */
  readonly line: number;
}

/** Whether a document, as YAML, is an answer to replSetGetStatus. */
export function isStatus(flow: string): boolean {
  return /\bmembers"?\s*:/.test(flow) && /\bstateStr"?\s*:/.test(flow);
}

/** Reads what `rs.status()` prints. @throws IncidentError if the text holds no status */
export function readStatus(text: string, file: string): Status {
  const [printed] = printedIn(text, file).filter(({ flow }) => isStatus(flow));
  if (printed === undefined) throw new IncidentError(file, 1, 'this is no status; rs.status() prints one');
  return statusOf(printed, file);
}

/** The same of one document. */
export function statusOf({ flow, line }: Printed, file: string): Status {
  const lines = new LineCounter();
  const document = parseDocument(flow, { lineCounter: lines });
  const { set, members } = fieldsOf(document.toJS());
  const lineOf = (i: number): number => {
    const node = document.getIn(['members', i], true);
    return isNode(node) && node.range ? lines.linePos(node.range[0]).line : line;
  };
  if (typeof set !== 'string' || !Array.isArray(members))
    throw new IncidentError(file, line, 'this status names no set, or no members');
  return {
    file,
    line,
    setName: set,
    members: members.map((member, i) => {
      const { name, stateStr } = fieldsOf(member);
      if (typeof name !== 'string') throw new IncidentError(file, lineOf(i), 'a member of this status has no name');
      return { host: name, state: String(stateStr), line: lineOf(i) };
    }),
  };
}

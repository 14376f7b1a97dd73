import type { Reasons } from '@replsim/why';
import { InputError } from '../io.ts';

export const QUESTIONS = ['primary', 'vote', 'state', 'write', 'data', 'document', 'event'] as const;
export type Question = (typeof QUESTIONS)[number];

/** How each is asked of a file. */
export const FORMS: Readonly<Record<Question, string>> = {
  primary: 'why FILE primary [MEMBER]',
  vote: 'why FILE vote MEMBER',
  state: 'why FILE state MEMBER',
  write: 'why FILE write [WORKLOAD/TURN], as in write w1/13',
  data: 'why FILE data NAMESPACE',
  document: 'why FILE document NAMESPACE ID',
  event: 'why FILE event [N]',
};

/** What is asked, and what it takes to understand it. */
export interface Asking {
  readonly question: Exclude<Question, 'event'>;
  readonly subjects: readonly string[];
  readonly on: string | undefined;
  readonly members: readonly string[];
  /** How people name the member of `data` and `document`, for messages. */
  readonly onWord?: string;
  /** How each question is asked here, for messages. */
  readonly form: (question: Question) => string;
  /** Reads what `JSON.parse` gave as Extended JSON; throws where it is none. */
  readonly readJson: (value: unknown) => unknown;
}

/** The sentences that answer it. @throws InputError for a question that is not one */
export function answered(
  reasons: Reasons,
  { question, subjects, on, members, readJson, form, onWord = 'on' }: Asking,
): readonly string[] {
  const [subject, id] = subjects;
  const aboutData = question === 'data' || question === 'document';
  if (!aboutData && on !== undefined) throw new InputError(`${onWord} is only for data and document`);
  for (const name of [on, aboutData || question === 'write' ? undefined : subject])
    if (name !== undefined) known(name, members);
  if (aboutData && subject !== undefined && !/^[^.]+\../.test(subject))
    throw new InputError(`${question} needs a namespace, db.collection, not "${subject}": ${form(question)}`);
  switch (question) {
    case 'primary':
      return reasons.primary(subject);
    case 'vote':
      return reasons.vote(required(subject, form(question)));
    case 'state':
      return reasons.state(required(subject, form(question)));
    case 'write':
      return subject === undefined ? reasons.write() : reasons.operation(...turnOf(subject, form(question)));
    case 'data':
      return reasons.data(on === undefined ? members : [on], required(subject, form(question)));
    case 'document':
      return reasons.document(required(subject, form(question)), idsOf(required(id, form(question)), readJson), on);
  }
}

/** @throws InputError for a name that no member has */
export function known(name: string, members: readonly string[]): string {
  if (!members.includes(name))
    throw new InputError(`there is no member ${name}: the members are ${members.join(', ')}`);
  return name;
}

/** A workload's operation: `w1/13`. */
function turnOf(text: string, form: string): [workload: string, turn: number] {
  const [, workload, turn] = /^(.+)\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (workload === undefined) throw new InputError(`${text} is not an operation: ${form}`);
  return [workload, Number(turn)];
}

/** What an `_id` may mean: Extended JSON, an ObjectId's digits, or just the text. */
function idsOf(text: string, readJson: Asking['readJson']): unknown[] {
  const ids: unknown[] = [text];
  if (/^[0-9a-f]{24}$/i.test(text)) ids.unshift(readJson({ $oid: text }));
  try {
    ids.unshift(readJson(JSON.parse(text)));
  } catch {
    // Plain words are no JSON, and mean themselves.
  }
  return ids;
}

function required(subject: string | undefined, form: string): string {
  if (subject === undefined) throw new InputError(`the question needs a subject: ${form}`);
  return subject;
}

/** A question about a set at an instant; `event` needs the whole trace. */
export function isAnswerable(question: unknown): question is Asking['question'] {
  return question !== 'event' && QUESTIONS.some((each) => each === question);
}

import type { Reasons, Subjects } from '@replsim/why';
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
  /** What a run has at any time, and the instant that is asked about; absent where more may still come. Unit: µs. */
  readonly whole?: { readonly subjects: Subjects; readonly atMicros: number };
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
  { question, subjects, on, members, readJson, form, whole, onWord = 'on' }: Asking,
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
      return subject === undefined ? reasons.write() : operation(reasons, subject, form(question), whole);
    case 'data': {
      const ns = knownCollection(required(subject, form(question)), whole);
      return [...absent(ns, whole), ...reasons.data(on === undefined ? members : [on], ns)];
    }
    case 'document': {
      const ns = required(subject, form(question));
      const ids = idsOf(required(id, form(question)), readJson);
      return reasons.document(knownCollection(ns, whole), ids, on);
    }
  }
}

/** So many names are told where another one was meant. */
const NAMED = 10;

/** @throws InputError for a workload that a whole run does not have */
function operation(reasons: Reasons, subject: string, form: string, whole: Asking['whole']): readonly string[] {
  const [workload, turn] = turnOf(subject, form);
  const { workloads = [workload] } = whole?.subjects ?? {};
  if (!workloads.includes(workload))
    throw new InputError(
      workloads.length === 0
        ? `there is no workload ${workload}: this run has none`
        : `there is no workload ${workload}: the workloads are ${some(workloads)}`,
    );
  return reasons.operation(workload, turn);
}

/** @throws InputError for a collection that is there at no time of a whole run */
function knownCollection(ns: string, whole: Asking['whole']): string {
  if (!whole || whole.subjects.mayHave(ns)) return ns;
  const { collections = [] } = whole.subjects;
  const others = collections.length === 0 ? 'this run has none' : `this run has ${some(collections)}`;
  throw new InputError(`there is no collection ${ns} at any time: ${others}`);
}

/** That a collection is not there at the instant that is asked about. */
function absent(ns: string, whole: Asking['whole']): string[] {
  const why = whole?.subjects.whyAbsent(ns, whole.atMicros);
  return why === undefined ? [] : [why];
}

function some(names: readonly string[]): string {
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
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

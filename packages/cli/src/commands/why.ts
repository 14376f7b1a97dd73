import { existsSync, statSync } from 'node:fs';
import { formatInstantExactly } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import type { Reasons } from '@replsim/why';
import { readText, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { chainOf, chainText } from './whyEvent.ts';

export const QUESTIONS = ['primary', 'vote', 'state', 'write', 'data', 'document', 'event'] as const;
export type Question = (typeof QUESTIONS)[number];

/** How each is asked. */
const FORMS: Readonly<Record<Question, string>> = {
  primary: 'why FILE primary [MEMBER]',
  vote: 'why FILE vote MEMBER',
  state: 'why FILE state MEMBER',
  write: 'why FILE write [WORKLOAD/TURN], as in write w1/13',
  data: 'why FILE data NAMESPACE',
  document: 'why FILE document NAMESPACE ID',
  event: 'why FILE event [N]',
};

export interface WhyOptions {
  /** The instant that is asked about; the end of the run by default. Unit: µs. */
  readonly at?: number;
  /** Of `data`: whose, all by default; of `document`: on which member, the primary by default; of `event`: whose last. */
  readonly on?: string;
  readonly seed?: number;
  /** Of the scenario; undefined: as it is written. */
  readonly variant?: string;
  readonly json?: boolean;
}

/** `replsim why`: plays a scenario up to an instant, and says what stood in the way of something then. */
export async function whyCommand(
  path: string,
  question: Question,
  subjects: readonly string[],
  options: WhyOptions,
  io: Io,
): Promise<number> {
  if (!existsSync(path)) throw new InputError(`${path}: no such file; replsim list shows which there are`);
  if (statSync(path).isDirectory()) throw new InputError(`${path}: this is a folder; name one scenario file in it`);
  const [tooMany] = subjects.slice(question === 'document' ? 2 : 1);
  if (tooMany !== undefined) throw new InputError(`${question} takes no ${tooMany}: replsim ${FORMS[question]}`);
  const needless = (['at', 'on'] as const).find((name) => options[name] !== undefined);
  if (question === 'event' && subjects.length > 0 && needless !== undefined)
    throw new InputError(`event ${subjects[0]} is a single event: leave out --${needless}`);
  const { fromExtendedJson, InvalidScenario, parseScenario, playScenario, reasonsWithFilters, toldOf, variantOf } =
    await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { Causes } = await import('@replsim/why');
  try {
    const { variant } = options;
    const written = parseScenario(readText(path), shown(path));
    const scenario = variant === undefined ? written : variantOf(written, variant);
    const reasons = reasonsWithFilters();
    const causes = new Causes(toldOf);
    let members: readonly string[] = [];
    const onTrace = (event: TraceEvent): void => {
      if (event.type === 'runStarted') members = event.members;
      if (options.at !== undefined && event.atMicros > options.at) return;
      if (question === 'event') causes.observe(event);
      else reasons.observe(event);
    };
    const seed = options.seed ?? scenario.seed;
    const create = (setup: ReplSetOptions) => ReplSet.create({ ...setup, causes: true });
    const { virtualMicros } = await playScenario(scenario, create, { seed, onTrace });
    if (options.at !== undefined && options.at > virtualMicros)
      throw new InputError(
        `the run is over at ${formatInstantExactly(virtualMicros)}: ask about an instant before that, or leave out --at`,
      );
    const { on } = options;
    const [subject, id] = subjects;
    if (question === 'event') {
      const links = chainOf(causes, subject, on === undefined ? undefined : known(on, members));
      io.out(options.json ? json({ file: shown(path), variant, seed, question, subject, links }) : chainText(links));
      return ExitCodes.ok;
    }
    const atMicros = options.at ?? virtualMicros;
    reasons.passed(atMicros);
    const answer = answered(reasons, { question, subjects, on, members, readJson: fromExtendedJson });
    const asked = { file: shown(path), variant, seed, atMicros, question, subject, id, on };
    io.out(options.json ? json({ ...asked, reasons: answer }) : text(answer));
    return ExitCodes.ok;
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

/** What is asked, and what it takes to understand it. */
interface Asked {
  readonly question: Exclude<Question, 'event'>;
  readonly subjects: readonly string[];
  readonly on: string | undefined;
  readonly members: readonly string[];
  /** Reads what `JSON.parse` gave as Extended JSON; throws where it is none. */
  readonly readJson: (value: unknown) => unknown;
}

function answered(reasons: Reasons, { question, subjects, on, members, readJson }: Asked): readonly string[] {
  const [subject, id] = subjects;
  const aboutData = question === 'data' || question === 'document';
  if (!aboutData && on !== undefined) throw new InputError('--on is only for data and document');
  for (const name of [on, aboutData || question === 'write' ? undefined : subject])
    if (name !== undefined) known(name, members);
  if (aboutData && subject !== undefined && !/^[^.]+\../.test(subject))
    throw new InputError(
      `${question} needs a namespace, db.collection, not "${subject}": replsim why FILE ${question} app.${subject}`,
    );
  switch (question) {
    case 'primary':
      return reasons.primary(subject);
    case 'vote':
      return reasons.vote(required(subject, question));
    case 'state':
      return reasons.state(required(subject, question));
    case 'write':
      return subject === undefined ? reasons.write() : reasons.operation(...turnOf(subject));
    case 'data':
      return reasons.data(on === undefined ? members : [on], required(subject, question));
    case 'document':
      return reasons.document(required(subject, question), idsOf(required(id, question), readJson), on);
  }
}

function known(name: string, members: readonly string[]): string {
  if (!members.includes(name))
    throw new InputError(`there is no member ${name}: the members are ${members.join(', ')}`);
  return name;
}

/** A workload's operation: `w1/13`. */
function turnOf(text: string): [workload: string, turn: number] {
  const [, workload, turn] = /^(.+)\/([1-9]\d{0,8})$/.exec(text) ?? [];
  if (workload === undefined) throw new InputError(`${text} is not an operation: replsim ${FORMS.write}`);
  return [workload, Number(turn)];
}

/** What an `_id` may mean: Extended JSON, an ObjectId's digits, or just the text. */
function idsOf(text: string, readJson: Asked['readJson']): unknown[] {
  const ids: unknown[] = [text];
  if (/^[0-9a-f]{24}$/i.test(text)) ids.unshift(readJson({ $oid: text }));
  try {
    ids.unshift(readJson(JSON.parse(text)));
  } catch {
    // Plain words are no JSON, and mean themselves.
  }
  return ids;
}

function required(subject: string | undefined, question: Question): string {
  if (subject === undefined) throw new InputError(`the question needs a subject: replsim ${FORMS[question]}`);
  return subject;
}

function text(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'the trace shows nothing that prevents it\n';
  return reasons.map((reason) => `${reason}\n`).join('');
}

function json(answer: object): string {
  return `${JSON.stringify({ version: 1, ...answer })}\n`;
}

import { existsSync, statSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import type { Reasons } from '@replsim/why';
import { readText, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { chainOf, chainText, teller } from './whyEvent.ts';

export const QUESTIONS = ['primary', 'state', 'write', 'data', 'event'] as const;
export type Question = (typeof QUESTIONS)[number];

export interface WhyOptions {
  /** The instant that is asked about; the end of the run by default. Unit: µs. */
  readonly at?: number;
  /** Of `data`: whose; all by default. Of `event`: whose last. */
  readonly on?: string;
  readonly seed?: number;
  readonly json?: boolean;
}

/** `replsim why`: plays a scenario up to an instant, and says what stood in the way of something then. */
export async function whyCommand(
  path: string,
  question: Question,
  subject: string | undefined,
  options: WhyOptions,
  io: Io,
): Promise<number> {
  if (!existsSync(path) || statSync(path).isDirectory()) throw new InputError(`${path}: no such file`);
  const { InvalidScenario, parseScenario, playScenario } = await import('@replsim/scenario');
  const { ReplSet } = await import('@replsim/replset');
  const { Causes, Reasons } = await import('@replsim/why');
  try {
    const scenario = parseScenario(readText(path), shown(path));
    const reasons = new Reasons();
    const causes = new Causes(await teller());
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
    if (question === 'event') {
      const links = chainOf(causes, subject, options.on === undefined ? undefined : known(options.on, members));
      io.out(options.json ? json({ file: shown(path), seed, question, subject, links }) : chainText(links));
      return ExitCodes.ok;
    }
    const answer = answered(reasons, question, subject, options.on, members);
    const atMicros = Math.min(options.at ?? virtualMicros, virtualMicros);
    io.out(
      options.json ? json({ file: shown(path), seed, atMicros, question, subject, reasons: answer }) : text(answer),
    );
    return ExitCodes.ok;
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

function answered(
  reasons: Reasons,
  question: Exclude<Question, 'event'>,
  subject: string | undefined,
  on: string | undefined,
  members: readonly string[],
): string[] {
  if (question === 'write' && subject !== undefined)
    throw new InputError(`write is about no ${subject}: replsim why FILE write`);
  if (question !== 'data' && on !== undefined) throw new InputError('--on goes with data: whose they are');
  for (const name of [on, question === 'data' ? undefined : subject]) if (name !== undefined) known(name, members);
  switch (question) {
    case 'primary':
      return reasons.primary(subject);
    case 'state':
      return reasons.state(required(subject, 'why FILE state MEMBER'));
    case 'write':
      return reasons.write();
    case 'data':
      return reasons.data(on === undefined ? members : [on], required(subject, 'why FILE data NAMESPACE'));
  }
}

function known(name: string, members: readonly string[]): string {
  if (!members.includes(name)) throw new InputError(`there is no member ${name}: there are ${members.join(', ')}`);
  return name;
}

function required(subject: string | undefined, form: string): string {
  if (subject === undefined) throw new InputError(`what is it about? replsim ${form}`);
  return subject;
}

function text(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'nothing stands in its way that the trace knows of\n';
  return reasons.map((reason) => `${reason}\n`).join('');
}

function json(answer: object): string {
  return `${JSON.stringify({ version: 1, ...answer })}\n`;
}

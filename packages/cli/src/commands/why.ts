import { existsSync, statSync } from 'node:fs';
import type { TraceEvent } from '@replsim/protocol';
import type { Reasons } from '@replsim/why';
import { readText, shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';

export const QUESTIONS = ['primary', 'state', 'write', 'data'] as const;
export type Question = (typeof QUESTIONS)[number];

export interface WhyOptions {
  /** The instant that is asked about; the end of the run by default. Unit: µs. */
  readonly at?: number;
  /** Of `data`: whose; all by default. */
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
  const { Reasons } = await import('@replsim/why');
  try {
    const scenario = parseScenario(readText(path), shown(path));
    const reasons = new Reasons();
    let members: readonly string[] = [];
    const onTrace = (event: TraceEvent): void => {
      if (event.type === 'runStarted') members = event.members;
      if (options.at === undefined || event.atMicros <= options.at) reasons.observe(event);
    };
    const seed = options.seed ?? scenario.seed;
    const { virtualMicros } = await playScenario(scenario, (setup) => ReplSet.create(setup), { seed, onTrace });
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
  question: Question,
  subject: string | undefined,
  on: string | undefined,
  members: readonly string[],
): string[] {
  if (question === 'write' && subject !== undefined)
    throw new InputError(`write is about no ${subject}: replsim why FILE write`);
  if (question !== 'data' && on !== undefined) throw new InputError('--on goes with data: whose they are');
  for (const name of [on, question === 'data' ? undefined : subject]) {
    if (name !== undefined && !members.includes(name))
      throw new InputError(`there is no member ${name}: there are ${members.join(', ')}`);
  }
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

import { existsSync, statSync } from 'node:fs';
import { formatInstantExactly } from '@replsim/kernel';
import type { TraceEvent } from '@replsim/protocol';
import type { ReplSetOptions } from '@replsim/replset';
import { shown } from '../files.ts';
import { ExitCodes, InputError, type Io } from '../io.ts';
import { readScenario } from '../scenarioText.ts';
import { answered, FORMS, known, type Question } from './whyAnswers.ts';
import { chainOf, chainText } from './whyEvent.ts';

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
  const { Causes, Subjects } = await import('@replsim/why');
  try {
    const { variant } = options;
    const written = parseScenario(readScenario(path), shown(path));
    const scenario = variant === undefined ? written : variantOf(written, variant);
    const reasons = reasonsWithFilters();
    const causes = new Causes(toldOf);
    const all = new Subjects();
    let members: readonly string[] = [];
    const onTrace = (event: TraceEvent): void => {
      if (event.type === 'runStarted') members = event.members;
      all.observe(event);
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
    const whole = { subjects: all, atMicros };
    const asking = { question, subjects, on, members, whole, readJson: fromExtendedJson };
    const answer = answered(reasons, { ...asking, onWord: '--on', form: (kind) => `replsim ${FORMS[kind]}` });
    const asked = { file: shown(path), variant, seed, atMicros, question, subject, id, on };
    io.out(options.json ? json({ ...asked, reasons: answer }) : text(answer));
    return ExitCodes.ok;
  } catch (error) {
    if (error instanceof InvalidScenario) throw new InputError(error.message);
    throw error;
  }
}

function text(reasons: readonly string[]): string {
  if (reasons.length === 0) return 'the trace shows nothing that prevents it\n';
  return reasons.map((reason) => `${reason}\n`).join('');
}

function json(answer: object): string {
  return `${JSON.stringify({ version: 1, ...answer })}\n`;
}

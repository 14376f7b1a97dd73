import { parse } from 'yaml';
import type { NewStep } from '../edit/insertStep.ts';

/** A command for the served set: one of its own, or one of MongoDB's. */
export interface LiveCommand {
  /** Which member gets it; default: the primary. */
  readonly on?: string;
  /** Without `$db` it is for `admin`. */
  readonly command: Readonly<Record<string, unknown>>;
}

/**
 * What a click comes to where no text is played: faults are `replsimFault`, as they may be by any driver.
 * @throws Error with words for whoever has clicked: not every step of a scenario is a command
 */
export function commandsOf({ kind, texts }: NewStep): readonly LiveCommand[] {
  return texts.map((text) => {
    const step = parse(text);
    if (kind === 'fault') return { command: { replsimFault: step } };
    const [[name = '', value] = []] = Object.entries(step as Readonly<Record<string, unknown>>);
    const command = Object.hasOwn(STEPS, name) ? STEPS[name]?.(value) : undefined;
    if (command === undefined)
      throw new Error(`“${text}” cannot be done to a live set from here: send the command with mongosh or a driver.`);
    return command;
  });
}

type Made = (value: unknown) => LiveCommand | undefined;
type Fields = Readonly<Record<string, unknown>>;

/** Steps that are one command; undefined for what is written otherwise. */
const STEPS: Readonly<Record<string, Made>> = {
  stepDown: (on) => (typeof on === 'string' ? { ...to(on), command: { replSetStepDown: 60 } } : undefined),
  insert: (value) => {
    const { into, documents, ...more } = value as Fields;
    const [, db, collection] = /^([^.]+)\.(.+)$/.exec(String(into)) ?? [];
    if (collection === undefined || !Array.isArray(documents) || Object.keys(more).length > 0) return undefined;
    return { command: { insert: collection, documents, $db: db } };
  },
  run: (value) => {
    const { on = 'primary', db = 'admin', command, ...more } = value as Fields;
    if (typeof on !== 'string' || typeof command !== 'object' || Object.keys(more).length > 0) return undefined;
    return { ...to(on), command: { ...command, $db: db } };
  },
  advance: (span) => (typeof span === 'string' ? { command: { replsimAdvance: span } } : undefined),
};

function to(on: string): { readonly on?: string } {
  return on === 'primary' ? {} : { on };
}

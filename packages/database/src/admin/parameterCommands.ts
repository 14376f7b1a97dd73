import {
  bytesOf,
  Fields,
  fieldSet,
  jsValueOf,
  ownerElsewhere,
  type ParameterMoment,
  type ParameterValue,
  type Reply,
  unknownParameter,
} from '@replsim/pipeline';
import { BsonType, CommandError, readString } from '@replsim/protocol';
import type { CommandContext, CommandDefinition } from '../definition.ts';
import { ANYWHERE, atOnce } from '../replies/atOnce.ts';
import { compatibilityVersionIn } from './featureCompatibility.ts';

const generic = fieldSet();
const FCV = 'featureCompatibilityVersion';
const OPTIONS: ReadonlySet<string> = new Set(['showDetails', 'setAt', 'allParameters']);

/**
 * `{ getParameter: 1, NAME: 1, … }`, or `"*"` or `{ allParameters: true }` for all of them; `{ showDetails: true }` shows each
 * as `{ value, settableAtRuntime, settableAtStartup }`, and `{ setAt: "startup" | "runtime" }` passes over those that cannot be set then.
 * Errors: InvalidOptions 72 if none of the names is known, or a mongod has one that replsim lacks. Upstream: parameters.cpp, CmdGet; server_parameter.idl, GetParameterOptions.
 */
const getParameter: CommandDefinition = {
  name: 'getParameter',
  help: 'shows server parameters',
  auth: { action: 'getParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, data, member }) => {
    const { all, details, setAt } = wanted(args);
    const names = all ? [FCV, ...member.parameters.names] : namesIn(args);
    // Beside others, too: a mongod would show it, and who asked would take it for unset.
    const lacking = names.find((name) => name !== FCV && ownerElsewhere(name) === 'mongod');
    if (lacking !== undefined) throw nothingFound(lacking);
    const reply: Reply = {};
    for (const name of names) {
      if (name !== FCV && !member.parameters.has(name)) continue;
      // What neither can be set at is the compatibility version alone: it has a command of its own.
      const settable = { startup: name !== FCV, runtime: name !== FCV && !member.parameters.isStartupOnly(name) };
      if (setAt !== undefined && !settable[setAt]) continue;
      const value = name === FCV ? { version: compatibilityVersionIn(data, member) } : member.parameters.shown(name);
      const detailed = { value, settableAtRuntime: settable.runtime, settableAtStartup: settable.startup };
      reply[name] = details ? detailed : value;
    }
    if (Object.keys(reply).length === 0) throw nothingFound(names.find(ownerElsewhere));
    return reply;
  }),
};

/**
 * `{ setParameter: 1, NAME: VALUE, … }` → `{ was }`, the old value of the first. All values are looked at before one is set.
 * Errors: InvalidOptions 72 for no or an unknown parameter, BadValue 2 for its value. Upstream: parameters.cpp, CmdSet.
 */
const setParameter: CommandDefinition = {
  name: 'setParameter',
  help: 'sets server parameters',
  auth: { action: 'setParameter', resource: 'cluster' },
  api: 'none',
  ...ANYWHERE,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    const { parameters } = member;
    const changes = new Map<string, ParameterValue>();
    if (args.has(FCV)) {
      throw new CommandError(
        'IllegalOperation',
        `setParameter does not change ${FCV}: setFeatureCompatibilityVersion does`,
      );
    }
    for (const name of namesIn(args)) changes.set(name, parameters.parse(name, jsValueOf(args.presentValue(name))));
    const [first] = changes.keys();
    if (first === undefined) {
      throw new CommandError('InvalidOptions', 'no option found to set');
    }
    const was = parameters.shown(first);
    for (const [name, value] of changes) {
      parameters.set(name, value);
      member.parameterSet(name);
    }
    return { was };
  }),
};

export const parameterCommands: readonly CommandDefinition[] = [getParameter, setParameter];

interface Wanted {
  readonly all: boolean;
  readonly details: boolean;
  readonly setAt?: ParameterMoment | undefined;
}

/** What the value of `getParameter` itself asks for. */
function wanted(args: CommandContext['args']): Wanted {
  const value = args.value(args.name);
  if (value?.type !== BsonType.object) {
    return { all: value?.type === BsonType.string && readString(value) === '*', details: false };
  }
  const fields = new Fields(bytesOf(value), args.name);
  fields.allow(OPTIONS);
  return { all: fields.bool('allParameters'), details: fields.bool('showDetails'), setAt: momentIn(fields) };
}

/** Throws BadValue 2 for another word. */
function momentIn(fields: Fields): ParameterMoment | undefined {
  const setAt = fields.string('setAt');
  if (setAt === undefined || setAt === 'startup' || setAt === 'runtime') return setAt;
  const errmsg = `Enumeration value '${setAt}' for field '${fields.path}.setAt' is not a valid value.`;
  throw new CommandError('BadValue', errmsg);
}

/** InvalidOptions 72. @param lacking the name that upstream has, if one was asked for */
function nothingFound(lacking: string | undefined): CommandError {
  const errmsg = 'no option found to get';
  if (lacking === undefined) return new CommandError('InvalidOptions', errmsg);
  return unknownParameter('InvalidOptions', `${errmsg}: ${lacking}`, lacking);
}

function namesIn(args: CommandContext['args']): string[] {
  return args.names.filter((name) => name !== args.name && !generic.has(name));
}
